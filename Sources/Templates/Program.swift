import Basics
import Markup

/// What a template is compiled to: steps over a stack of values, with every name replaced by numbers.
struct Program: Sendable {
    /// A way to a value: a level of the context stack, and the fields from there on.
    struct Path: Sendable {
        var level: Int16
        var count: Int16
        /// The field if `count` is one, else where the fields begin in ``Program/fields``.
        var first: Int32
    }

    /// One step: what to do, and plain numbers at fixed places. A page is hundreds of steps, and an enumeration with values would
    /// be taken apart at each; copying one must not touch a reference count either, because many threads run one program.
    struct Step: Sendable {
        enum Action: Sendable {
            case text, escaped, html, unescaped, section, next, whenTrue, whenFalse, call, choose, done,
                indentation
        }

        var action: Action
        /// Which value the step looks at.
        var path = Path(level: 0, count: 0, first: 0)
        /// Where a run of text begins; the slot of a section; the table of a choice.
        var operand: Int32 = 0
        /// Where a run of text ends; where to go on behind a section, or at a unit.
        var target: Int32 = 0
        var indent = Indent()

        /// Writes bytes of ``Program/text``.
        static func text(from: Int32, to: Int32) -> Step { Step(action: .text, operand: from, target: to) }
        static func escaped(_ path: Path) -> Step { Step(action: .escaped, path: path) }
        static func html(_ path: Path) -> Step { Step(action: .html, path: path) }
        /// Writes text as it stands; only the specification's cases may ask for that.
        static func unescaped(_ path: Path) -> Step { Step(action: .unescaped, path: path) }
        /// Runs what follows once per item, or once, with the value at `slot` of the stack; skips to `end` if
        /// there is nothing.
        static func section(_ path: Path, slot: Int32, end: Int32) -> Step {
            Step(action: .section, path: path, operand: slot, target: end)
        }
        /// Ends a section's body.
        static let next = Step(action: .next)
        /// Skips to `end` unless the value is true.
        static func whenTrue(_ path: Path, end: Int32) -> Step {
            Step(action: .whenTrue, path: path, target: end)
        }
        /// Skips to `end` if the value is true.
        static func whenFalse(_ path: Path, end: Int32) -> Step {
            Step(action: .whenFalse, path: path, target: end)
        }
        /// Runs the unit at `entry`, with bytes of ``Program/text`` added to the indentation.
        static func call(entry: Int32, _ indent: Indent) -> Step {
            Step(action: .call, target: entry, indent: indent)
        }
        /// Like `call`, for the unit that the text at the path names, if ``Program/tables`` has it.
        static func choose(_ path: Path, table: Int32, _ indent: Indent) -> Step {
            Step(action: .choose, path: path, operand: table, indent: indent)
        }
        /// Ends a unit.
        static let done = Step(action: .done)
        /// Writes the indentation.
        static let indentation = Step(action: .indentation)
    }

    /// What a call adds to the indentation: bytes of ``Program/text``.
    struct Indent: Sendable {
        var from: Int32 = 0
        var to: Int32 = 0
        /// Whether the indentation so far does not apply to the unit that is called.
        var isFresh = false
    }

    /// The units that a dynamic name may choose, by name.
    struct Choice: Sendable {
        let name: String
        var entry: Int32
    }

    var steps: [Step] = []
    var text: [UInt8] = []
    var fields: [Int32] = []
    var tables: [[Choice]] = []
    /// How many levels the context stack has at most.
    var depth = 1

    /// Adds text to the last step, or a step for it.
    ///
    /// - Parameter barrier: how many steps stay as they are, because a jump leads behind them.
    mutating func append(_ bytes: ArraySlice<UInt8>, barrier: Int) {
        if bytes.isEmpty { return }
        let from = Int32(text.count)
        text.append(contentsOf: bytes)
        let to = Int32(text.count)
        if steps.count > barrier, let last = steps.last, last.action == .text, last.target == from {
            steps[steps.count - 1].target = to
        } else {
            steps.append(.text(from: from, to: to))
        }
    }

    /// A level of the context stack: where a value is, and where its fields are if it is a record.
    ///
    /// Pointers into the values under the root, which is held for the whole run and never changes: copying a value would
    /// count references, thousands of times a page.
    private struct Level {
        var value: UnsafePointer<Value>?
        var fields: UnsafePointer<Value>?

        init() {}

        @inline(__always)
        init(_ value: UnsafePointer<Value>) {
            self.value = value
            if case .record(let values) = value.pointee { fields = values.start }
        }

        @inline(__always)
        init(_ record: UnsafePointer<Record>) { fields = record.pointee.values.start }
    }

    /// What to go back to: plain numbers side by side, changed where they stand from item to item.
    private struct Frame {
        enum Kind { case unit, once, records, list }

        var kind: Kind
        /// Where to go on: behind the call of a unit, or at the body of a section.
        var step: Int
        /// The level of the stack that a section took, and what was there.
        var slot = 0
        var former = Level()
        /// The items of a list that are left.
        var next: UnsafeRawPointer?
        var end: UnsafeRawPointer?
        /// What a unit has added to the indentation.
        var indentation = 0
        var base = 0
    }

    /// Runs the program over a value. Uses a stack of its own, so that deep data cannot overflow the thread's.
    func run(over root: Value, into out: inout ByteBuffer) {
        withUnsafePointer(to: root) { run(over: $0, into: &out) }
    }

    private func run(over root: UnsafePointer<Value>, into out: inout ByteBuffer) {
        text.withUnsafeBufferPointer { text in
            // No text, no step that writes any.
            run(over: root, text: text.baseAddress ?? UnsafePointer(bitPattern: 1)!, into: &out)
        }
    }

    private func run(over root: UnsafePointer<Value>, text: UnsafePointer<UInt8>, into out: inout ByteBuffer)
    {
        withUnsafeTemporaryAllocation(of: Level.self, capacity: depth) { stack in
            stack.initialize(repeating: Level())
            run(over: root, stack, text: text, into: &out)
        }
    }

    private func run(
        over root: UnsafePointer<Value>, _ stack: UnsafeMutableBufferPointer<Level>,
        text: UnsafePointer<UInt8>, into out: inout ByteBuffer
    ) {
        stack[0] = Level(root)
        var frames: [Frame] = []
        frames.reserveCapacity(16)
        // What counts of the indentation begins at `base`.
        var indentation: [UInt8] = []
        var base = 0
        // Looked at where they lie: the array would count references that all threads share.
        let steps = steps.span.withUnsafeBufferPointer { $0 }
        var i = 0
        while true {
            precondition(i < steps.count, "a program ends in a step that says so")
            let step = steps.baseAddress! + i
            i += 1
            switch step.pointee.action {
            case .text:
                let from = Int(step.pointee.operand)
                out.append(text + from, count: Int(step.pointee.target) - from)
            case .escaped:
                guard let value = value(at: step.pointee.path, stack) else { continue }
                if let bytes = Self.longText(value) {
                    out.appendEscaped(bytes)
                } else if case .text(let text) = value.pointee {
                    out.appendEscaped(text)
                } else {
                    out.append(Self.markup(value))
                }
            case .html:
                if let value = value(at: step.pointee.path, stack) { out.append(Self.markup(value)) }
            case .unescaped:
                guard let value = value(at: step.pointee.path, stack) else { continue }
                if let bytes = Self.longText(value) {
                    out.append(bytes)
                } else if case .text(let text) = value.pointee {
                    out.append(text)
                }
            case .section:
                let (path, slot) = (step.pointee.path, Int(step.pointee.operand))
                guard let value = value(at: path, stack) else {
                    let level = stack[Int(path.level)]
                    if path.count == 0, level.fields != nil {
                        // The item of a list of records, asked for as a whole.
                        frames.append(Frame(kind: .once, step: i, slot: slot, former: stack[slot]))
                        stack[slot] = level
                    } else {
                        i = Int(step.pointee.target)
                    }
                    continue
                }
                var frame = Frame(kind: .once, step: i, slot: slot, former: stack[slot])
                switch Self.items(value) {
                case .records(let first, let count):
                    frame.kind = .records
                    frame.next = UnsafeRawPointer(first + 1)
                    frame.end = UnsafeRawPointer(first + count)
                    stack[slot] = Level(first)
                case .list(let first, let count):
                    frame.kind = .list
                    frame.next = UnsafeRawPointer(first + 1)
                    frame.end = UnsafeRawPointer(first + count)
                    stack[slot] = Level(first)
                case .one:
                    stack[slot] = Level(value)
                case .none:
                    i = Int(step.pointee.target)
                    continue
                }
                frames.append(frame)
            case .next:
                let last = frames.count - 1
                let (kind, slot) = (frames[last].kind, frames[last].slot)
                precondition(
                    kind != .unit, "sections and units are closed in the order in which they were opened")
                guard kind != .once, let next = frames[last].next, next != frames[last].end else {
                    stack[slot] = frames[last].former
                    frames.removeLast()
                    continue
                }
                if kind == .records {
                    let record = next.assumingMemoryBound(to: Record.self)
                    stack[slot] = Level(record)
                    frames[last].next = UnsafeRawPointer(record + 1)
                } else {
                    let value = next.assumingMemoryBound(to: Value.self)
                    stack[slot] = Level(value)
                    frames[last].next = UnsafeRawPointer(value + 1)
                }
                i = frames[last].step
            case .whenTrue:
                if !isTrue(step.pointee.path, stack) { i = Int(step.pointee.target) }
            case .whenFalse:
                if isTrue(step.pointee.path, stack) { i = Int(step.pointee.target) }
            case .call:
                let indent = step.pointee.indent
                frames.append(Frame(kind: .unit, step: i, indentation: indentation.count, base: base))
                if indent.isFresh { base = indentation.count }
                if indent.to > indent.from {
                    indentation.append(contentsOf: self.text[Int(indent.from)..<Int(indent.to)])
                }
                i = Int(step.pointee.target)
            case .choose:
                let indent = step.pointee.indent
                guard let value = value(at: step.pointee.path, stack), case .text(let name) = value.pointee,
                    let choice = tables[Int(step.pointee.operand)].first(where: { $0.name == name })
                else { continue }
                frames.append(Frame(kind: .unit, step: i, indentation: indentation.count, base: base))
                if indent.isFresh { base = indentation.count }
                if indent.to > indent.from {
                    indentation.append(contentsOf: self.text[Int(indent.from)..<Int(indent.to)])
                }
                i = Int(choice.entry)
            case .done:
                guard let frame = frames.popLast() else { return }
                precondition(
                    frame.kind == .unit,
                    "sections and units are closed in the order in which they were opened")
                if indentation.count > frame.indentation { indentation.removeSubrange(frame.indentation...) }
                base = frame.base
                i = frame.step
            case .indentation:
                indentation[base...].withUnsafeBufferPointer { out.append($0) }
            }
        }
    }

    // What a value is made of, as pointers into what the root holds. Nothing else is done while a value is taken apart: then
    // no reference to its parts is counted, which all threads would do on those that pages share.

    /// What a section over a value runs over.
    private enum Items {
        case none, one
        case records(UnsafePointer<Record>, Int)
        case list(UnsafePointer<Value>, Int)
    }

    @inline(__always)
    private static func items(_ value: UnsafePointer<Value>) -> Items {
        switch value.pointee {
        case .records(let records):
            let range = records.withUnsafeBufferPointer { $0 }
            guard let first = range.baseAddress, !range.isEmpty else { return .none }
            return .records(first, range.count)
        case .list(let items):
            let range = items.withUnsafeBufferPointer { $0 }
            guard let first = range.baseAddress, !range.isEmpty else { return .none }
            return .list(first, range.count)
        default: return value.pointee.isTrue ? .one : .none
        }
    }

    /// The bytes of a text that is not short enough to lie in the value itself.
    @inline(__always)
    private static func longText(_ value: UnsafePointer<Value>) -> UnsafeBufferPointer<UInt8>? {
        // Up to 15 bytes a string may have none outside.
        guard case .text(let text) = value.pointee, text.utf8.count > 15 else { return nil }
        return text.withBytes { $0 }
    }

    @inline(__always)
    private static func markup(_ value: UnsafePointer<Value>) -> UnsafeBufferPointer<UInt8> {
        switch value.pointee {
        case .html(let html): html.bytes.withUnsafeBufferPointer { $0 }
        case .fragment(let fragment): fragment.bytes.withUnsafeBufferPointer { $0 }
        default: UnsafeBufferPointer(start: nil, count: 0)
        }
    }

    @inline(__always)
    private func isTrue(_ path: Path, _ stack: UnsafeMutableBufferPointer<Level>) -> Bool {
        if path.count == 0, stack[Int(path.level)].value == nil {
            return stack[Int(path.level)].fields != nil
        }
        return value(at: path, stack)?.pointee.isTrue ?? false
    }

    /// Where the value is; nil when something on the way is absent, or for an item of a list of records as a whole.
    @inline(__always)
    private func value(at path: Path, _ stack: UnsafeMutableBufferPointer<Level>) -> UnsafePointer<Value>? {
        let level = stack[Int(path.level)]
        switch path.count {
        case 0: return level.value
        case 1: return level.fields.map { $0 + Int(path.first) }
        default: return follow(path, from: level)
        }
    }

    private func follow(_ path: Path, from level: Level) -> UnsafePointer<Value>? {
        var level = level
        for i in 0..<Int(path.count) {
            guard let fields = level.fields else { return nil }
            level = Level(fields + Int(self.fields[Int(path.first) + i]))
        }
        return level.value
    }
}
