import Basics
import Markup

/// Writes into a program what is known of its values before it runs: partial evaluation.
///
/// Most of what a page's template asks for is the same on every page: texts of the theme, the menu, names of assets. Bound
/// once, all that is a few long runs of text, and a run has only what differs left to do.
struct Binder {
    /// What is known of a level of the context stack.
    private enum Level {
        /// A run puts something there.
        case unknown
        /// The page itself: of its fields, those that are set are known.
        case page(Values)
        case value(Value)
        /// The fields of an item of a list of records.
        case item(Values)
    }

    /// What is known of the value at a path.
    private enum Found {
        case unknown
        /// Nil is nothing, as when something on the way is absent.
        case value(Value?)
        /// An item of a list of records, asked for as a whole.
        case item
    }

    /// A list that is the same on all pages is written out as often as it has items, so what comes of it has a limit: bytes
    /// of text, and steps. Arbitrary.
    private static let mostText = 1 << 20, mostSteps = 1 << 15

    private let program: Program
    private var bound: Program
    private var stack: [Level]
    /// Where the units begin that are being written out.
    private var open: Set<Int> = []
    /// Where the last run of text may not be extended, because a step jumps there.
    private var barrier = 0
    private var isPossible = true

    private init(_ program: Program, _ page: Values) {
        self.program = program
        bound = Program()
        bound.fields = program.fields
        bound.depth = program.depth
        stack = [Level](repeating: .unknown, count: program.depth)
        stack[0] = .page(page)
    }

    /// The program with the values of those fields that are set written into it; nil where that cannot be done.
    ///
    /// It cannot where a template includes itself, or one that only the data names: such a program stays as it is.
    static func bind(_ program: Program, to page: Values) -> Program? {
        var binder = Binder(program, page)
        binder.writeUnit(at: 0)
        binder.bound.steps.append(.done)
        return binder.isPossible ? binder.bound : nil
    }

    private mutating func writeUnit(at entry: Int) {
        guard open.insert(entry).inserted else {
            isPossible = false
            return
        }
        write(entry..<program.steps.count)
        open.remove(entry)
    }

    /// Writes steps up to the end of the range or of the unit, whichever comes first.
    private mutating func write(_ range: Range<Int>) {
        var i = range.lowerBound
        while i < range.upperBound, isPossible {
            let step = program.steps[i]
            i += 1
            let path = step.path
            switch step.action {
            case .text:
                append(program.text[Int(step.operand)..<Int(step.target)])
            case .escaped:
                switch find(path) {
                case .unknown: bound.steps.append(step)
                case .value(.text(let text)?):
                    var bytes: [UInt8] = []
                    bytes.appendEscaped(text)
                    append(bytes[...])
                case .value(.html(let escaped)?): append(escaped.bytes[...])
                default: break
                }
            case .html:
                switch find(path) {
                case .unknown: bound.steps.append(step)
                case .value(.html(let html)?): append(html.bytes[...])
                case .value(.fragment(let fragment)?): append(fragment.bytes[...])
                default: break
                }
            case .unescaped:
                switch find(path) {
                case .unknown: bound.steps.append(step)
                case .value(.text(let text)?): append(Array(text.utf8)[...])
                default: break
                }
            case .section:
                writeSection(path, slot: Int(step.operand), body: i..<Int(step.target) - 1)
                i = Int(step.target)
            case .whenTrue, .whenFalse:
                writeCondition(path, ifTrue: step.action == .whenTrue, body: i..<Int(step.target))
                i = Int(step.target)
            case .call:
                if step.indent.from != step.indent.to { isPossible = false }
                writeUnit(at: Int(step.target))
            case .choose:
                guard case .value(let value) = find(path), step.indent.from == step.indent.to else {
                    isPossible = false
                    return
                }
                guard case .text(let name)? = value,
                    let choice = program.tables[Int(step.operand)].first(where: { $0.name == name })
                else { continue }
                writeUnit(at: Int(choice.entry))
            case .done: return
            case .next: preconditionFailure("a section's body ends before the step that ends it")
            case .indentation: isPossible = false
            }
        }
        if bound.text.count > Self.mostText || bound.steps.count > Self.mostSteps { isPossible = false }
    }

    private mutating func writeSection(_ path: Program.Path, slot: Int, body: Range<Int>) {
        let former = stack[slot]
        defer { stack[slot] = former }
        switch find(path) {
        case .unknown:
            let step = bound.steps.count
            bound.steps.append(.section(path, slot: Int32(slot), end: 0))
            stack[slot] = .unknown
            write(body)
            bound.steps.append(.next)
            bound.steps[step] = .section(path, slot: Int32(slot), end: here())
        case .item:
            stack[slot] = stack[Int(path.level)]
            write(body)
        case .value(.records(let records)?):
            for record in records where isPossible {
                stack[slot] = .item(record.values)
                write(body)
            }
        case .value(.list(let items)?):
            for item in items where isPossible {
                stack[slot] = .value(item)
                write(body)
            }
        case .value(let value):
            guard let value, value.isTrue else { return }
            stack[slot] = .value(value)
            write(body)
        }
    }

    private mutating func writeCondition(_ path: Program.Path, ifTrue: Bool, body: Range<Int>) {
        switch find(path) {
        case .unknown:
            let step = bound.steps.count
            bound.steps.append(.done)
            write(body)
            let end = here()
            bound.steps[step] = ifTrue ? .whenTrue(path, end: end) : .whenFalse(path, end: end)
        case .item: if ifTrue { write(body) }
        case .value(let value): if (value?.isTrue ?? false) == ifTrue { write(body) }
        }
    }

    // MARK: Text

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        bound.append(bytes, barrier: barrier)
    }

    /// The next step's number, as the goal of a jump.
    private mutating func here() -> Int32 {
        barrier = bound.steps.count
        return Int32(barrier)
    }

    // MARK: Values

    private func find(_ path: Program.Path) -> Found {
        let indices =
            path.count == 1
            ? [path.first] : Array(program.fields[Int(path.first)...].prefix(Int(path.count)))
        switch stack[Int(path.level)] {
        case .unknown: return .unknown
        case .page(let fields):
            guard let first = indices.first else { return .unknown }
            if case .absent = fields[Int(first)] { return .unknown }
            return .value(follow(indices.dropFirst(), from: fields[Int(first)]))
        case .value(let value): return .value(follow(indices[...], from: value))
        case .item(let fields):
            guard let first = indices.first else { return .item }
            return .value(follow(indices.dropFirst(), from: fields[Int(first)]))
        }
    }

    private func follow(_ indices: ArraySlice<Int32>, from value: Value) -> Value? {
        var value = value
        for index in indices {
            guard case .record(let fields) = value else { return nil }
            value = fields[Int(index)]
        }
        return value
    }
}
