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

    /// Adds text to the last step, or a step for it.
    ///
    /// - Parameter barrier: how many steps stay as they are, because a jump leads behind them.
    mutating func append(_ bytes: ArraySlice<UInt8>, barrier: Int) {
        if bytes.isEmpty { return }
        let from = Int32(text.count)
        text.append(contentsOf: bytes)
        let to = Int32(text.count)
        if steps.count > barrier, case .text(let start, from)? = steps.last {
            steps[steps.count - 1] = .text(from: start, to: to)
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
        // A span, because the array would count references that all threads share.
        let steps = steps.span
        var i = 0
        while true {
            let step = steps[i]
            i += 1
            switch step {
            case .text(let from, let to):
                out.append(text + Int(from), count: Int(to - from))
            case .escaped(let path):
                guard let value = value(at: path, stack) else { continue }
                if let bytes = Self.longText(value) {
                    out.appendEscaped(bytes)
                } else if case .text(let text) = value.pointee {
                    out.appendEscaped(text)
                } else {
                    out.append(Self.markup(value))
                }
            case .html(let path):
                if let value = value(at: path, stack) { out.append(Self.markup(value)) }
            case .unescaped(let path):
                guard let value = value(at: path, stack) else { continue }
                if let bytes = Self.longText(value) {
                    out.append(bytes)
                } else if case .text(let text) = value.pointee {
                    out.append(text)
                }
            case .section(let path, let slot, let end):
                let slot = Int(slot)
                guard let value = value(at: path, stack) else {
                    let level = stack[Int(path.level)]
                    if path.count == 0, level.fields != nil {
                        // The item of a list of records, asked for as a whole.
                        frames.append(Frame(kind: .once, step: i, slot: slot, former: stack[slot]))
                        stack[slot] = level
                    } else {
                        i = Int(end)
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
                    i = Int(end)
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
            case .whenTrue(let path, let end):
                if !isTrue(path, stack) { i = Int(end) }
            case .whenFalse(let path, let end):
                if isTrue(path, stack) { i = Int(end) }
            case .call(let entry, let indent):
                frames.append(Frame(kind: .unit, step: i, indentation: indentation.count, base: base))
                if indent.isFresh { base = indentation.count }
                if indent.to > indent.from {
                    indentation.append(contentsOf: self.text[Int(indent.from)..<Int(indent.to)])
                }
                i = Int(entry)
            case .choose(let path, let table, let indent):
                guard let value = value(at: path, stack), case .text(let name) = value.pointee,
                    let choice = tables[Int(table)].first(where: { $0.name == name })
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
