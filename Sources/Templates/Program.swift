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

    /// One step. All payloads are plain numbers: copying a step must not touch a reference count, because many
    /// threads run one program at the same time.
    enum Step: Sendable {
        /// Writes bytes of ``Program/text``.
        case text(from: Int32, to: Int32)
        case escaped(Path)
        case html(Path)
        /// Writes text as it stands; only the specification's cases may ask for that.
        case unescaped(Path)
        /// Runs what follows once per item, or once, with the value at `slot` of the stack; skips to `end` if
        /// there is nothing.
        case section(Path, slot: Int32, end: Int32)
        /// Ends a section's body.
        case next
        /// Skips to `end` unless the value is true.
        case whenTrue(Path, end: Int32)
        /// Skips to `end` if the value is true.
        case whenFalse(Path, end: Int32)
        /// Runs the unit at `entry`, with bytes of ``Program/text`` added to the indentation.
        case call(entry: Int32, Indent)
        /// Like `call`, for the unit that the text at the path names, if ``Program/tables`` has it.
        case choose(Path, table: Int32, Indent)
        /// Ends a unit.
        case done
        /// Writes the indentation.
        case indentation
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

    /// What to go back to.
    private enum Frame {
        case unit(back: Int, indentation: Int, base: Int)
        case once(slot: Int, former: Value)
        case records([Record], next: Int, body: Int, slot: Int, former: Value)
        case list([Value], next: Int, body: Int, slot: Int, former: Value)
    }

    /// Runs the program over a value. Uses a stack of its own, so that deep data cannot overflow the thread's.
    func run(over root: Value, into out: inout [UInt8]) {
        var stack = [Value](repeating: .absent, count: depth)
        stack[0] = root
        var frames: [Frame] = []
        // What counts of the indentation begins at `base`.
        var indentation: [UInt8] = []
        var base = 0
        // Spans, because slices of the arrays would count references that all threads share.
        let steps = steps.span
        let text = text.span
        var i = 0
        while true {
            let step = steps[i]
            i += 1
            switch step {
            case .text(let from, let to):
                out.append(text.extracting(Int(from)..<Int(to)))
            case .escaped(let path):
                if case .text(let text) = value(at: path, stack) { out.appendEscaped(text) }
            case .html(let path):
                switch value(at: path, stack) {
                case .html(let html): out.append(contentsOf: html.bytes)
                case .fragment(let fragment): out.append(contentsOf: fragment.bytes)
                default: break
                }
            case .unescaped(let path):
                if case .text(let text) = value(at: path, stack) { out.append(text) }
            case .section(let path, let slot, let end):
                let slot = Int(slot)
                switch value(at: path, stack) {
                case .records(let records):
                    guard let first = records.first else {
                        i = Int(end)
                        continue
                    }
                    frames.append(.records(records, next: 1, body: i, slot: slot, former: stack[slot]))
                    stack[slot] = .record(first.values)
                case .list(let items):
                    guard let first = items.first else {
                        i = Int(end)
                        continue
                    }
                    frames.append(.list(items, next: 1, body: i, slot: slot, former: stack[slot]))
                    stack[slot] = first
                case let value where value.isTrue:
                    frames.append(.once(slot: slot, former: stack[slot]))
                    stack[slot] = value
                default:
                    i = Int(end)
                }
            case .next:
                switch frames.removeLast() {
                case .records(let records, let next, let body, let slot, let former):
                    if next < records.count {
                        stack[slot] = .record(records[next].values)
                        frames.append(
                            .records(records, next: next + 1, body: body, slot: slot, former: former))
                        i = body
                    } else {
                        stack[slot] = former
                    }
                case .list(let items, let next, let body, let slot, let former):
                    if next < items.count {
                        stack[slot] = items[next]
                        frames.append(.list(items, next: next + 1, body: body, slot: slot, former: former))
                        i = body
                    } else {
                        stack[slot] = former
                    }
                case .once(let slot, let former):
                    stack[slot] = former
                case .unit:
                    preconditionFailure(
                        "sections and units are closed in the order in which they were opened")
                }
            case .whenTrue(let path, let end):
                if !value(at: path, stack).isTrue { i = Int(end) }
            case .whenFalse(let path, let end):
                if value(at: path, stack).isTrue { i = Int(end) }
            case .call(let entry, let indent):
                frames.append(.unit(back: i, indentation: indentation.count, base: base))
                if indent.isFresh { base = indentation.count }
                indentation.append(text.extracting(Int(indent.from)..<Int(indent.to)))
                i = Int(entry)
            case .choose(let path, let table, let indent):
                guard case .text(let name) = value(at: path, stack),
                    let choice = tables[Int(table)].first(where: { $0.name == name })
                else { continue }
                frames.append(.unit(back: i, indentation: indentation.count, base: base))
                if indent.isFresh { base = indentation.count }
                indentation.append(text.extracting(Int(indent.from)..<Int(indent.to)))
                i = Int(choice.entry)
            case .done:
                guard case .unit(let back, let count, let formerBase)? = frames.popLast() else { return }
                indentation.removeSubrange(count...)
                base = formerBase
                i = back
            case .indentation:
                out.append(contentsOf: indentation[base...])
            }
        }
    }

    @inline(__always)
    private func value(at path: Path, _ stack: [Value]) -> Value {
        let value = stack[Int(path.level)]
        switch path.count {
        case 0: return value
        case 1:
            guard case .record(let values) = value else { return .absent }
            return values[Int(path.first)]
        default: return follow(path, from: value)
        }
    }

    private func follow(_ path: Path, from start: Value) -> Value {
        var value = start
        for i in 0..<Int(path.count) {
            guard case .record(let values) = value else { return .absent }
            value = values[Int(fields[Int(path.first) + i])]
        }
        return value
    }
}

extension [UInt8] {
    @inline(__always)
    mutating func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}
