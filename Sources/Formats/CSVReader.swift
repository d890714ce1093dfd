public import Basics
import CCSV
import Glibc

/// Reads a table of cells: CSV or TSV, row by row, with the place of every cell. Belongs to one thread.
///
/// Quotes as in RFC 4180. A row that breaks its rules is reported as ``Row/fault(_:line:)``, and reading goes on
/// with the line after the one on which it began: one forgotten quote must not swallow the rest of the file.
public final class CSVReader {
    /// What was read.
    public enum Row {
        /// The cells are in ``CSVReader/cells``.
        case cells
        /// What is wrong with the row that begins on that line.
        case fault(String, line: Int)
    }

    /// The largest row that is read, in bytes.
    public static let rowLimit = 4 << 20
    /// How often reading is taken up again after a quote that is never closed; each time may read ``rowLimit``.
    private static let retryLimit = 100

    private let source: TextStream
    private let delimiter: UInt8
    private let parser: UnsafeMutablePointer<csv_parser>
    private let sink = Sink()
    /// The bytes of the row, as they are in the file, and where each of its lines ends.
    private var raw: [UInt8] = []
    private var lineEnds: [Int] = []
    /// Where the cells of the row begin, once somebody has asked.
    private var positions: [(line: Int, column: Int)] = []
    /// Lines that are to be read again after a fault.
    private var again: [[UInt8]] = []
    private var retries = 0
    /// The line that was read last, those that are read again counted once.
    private var lineNumber = 0

    /// The line on which the row begins, from 1.
    public private(set) var line = 0
    /// The texts of the row's cells, without their quotes.
    public var cells: [String] { sink.cells }

    /// Cells as libcsv finds them.
    private final class Sink {
        var cells: [String] = []
        var isRowDone = false
    }

    /// A reader of the stream's lines; `delimiter` stands between cells.
    public init(_ source: TextStream, delimiter: UInt8) {
        self.source = source
        self.delimiter = delimiter
        parser = .allocate(capacity: 1)
        start(strict: true)
    }

    deinit {
        csv_free(parser)
        parser.deallocate()
    }

    private func start(strict: Bool) {
        // CSV_STRICT_FINI: an open quote at the end is a fault.
        let code = csv_init(parser, strict ? UInt8(CSV_STRICT | CSV_STRICT_FINI) : 0)
        precondition(code == 0, "libcsv does not know its own options")
        csv_set_delim(parser, delimiter)
    }

    private func restart() {
        csv_free(parser)
        start(strict: true)
        sink.cells.removeAll()
        sink.isRowDone = false
    }

    /// Reads the next row; nil after the last. Empty lines are no rows.
    public func next() throws(Failure) -> Row? {
        sink.cells.removeAll(keepingCapacity: true)
        sink.isRowDone = false
        raw.removeAll(keepingCapacity: true)
        lineEnds.removeAll(keepingCapacity: true)
        positions.removeAll(keepingCapacity: true)
        while true {
            let start = raw.count
            if let line = again.popLast() {
                raw.append(contentsOf: line)
            } else if try !source.appendLine(to: &raw) {
                guard !raw.isEmpty else { return nil }
                return try finish()
            }
            lineNumber += 1
            if start == 0 {
                if raw.allSatisfy({ $0 == 0x0A || $0 == 0x0D }) {
                    raw.removeAll(keepingCapacity: true)
                    continue
                }
                line = lineNumber
            }
            lineEnds.append(raw.count)
            if !feed(raw[start...]) { return try recover("a quote stands inside a cell") }
            if sink.isRowDone { return .cells }
            if raw.count > Self.rowLimit {
                return try recover("a row of more than 4 MB; is a quote never closed?")
            }
        }
    }

    /// Gives bytes to libcsv; false when they break the rules.
    private func feed(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBytes { bytes in
            csv_parse(
                parser, bytes.baseAddress, bytes.count,
                { text, count, sink in
                    let sink = Unmanaged<Sink>.fromOpaque(sink!).takeUnretainedValue()
                    let bytes = UnsafeRawBufferPointer(start: text, count: count)
                    sink.cells.append(String(decoding: bytes, as: UTF8.self))
                },
                { _, sink in Unmanaged<Sink>.fromOpaque(sink!).takeUnretainedValue().isRowDone = true },
                // The reader keeps the sink for as long as libcsv can call.
                Unmanaged.passUnretained(sink).toOpaque()) == bytes.count
        }
    }

    /// The end of the file, where a row may end as well.
    private func finish() throws(Failure) -> Row? {
        let code = csv_fini(
            parser,
            { text, count, sink in
                let sink = Unmanaged<Sink>.fromOpaque(sink!).takeUnretainedValue()
                let bytes = UnsafeRawBufferPointer(start: text, count: count)
                sink.cells.append(String(decoding: bytes, as: UTF8.self))
            },
            { _, sink in Unmanaged<Sink>.fromOpaque(sink!).takeUnretainedValue().isRowDone = true },
            Unmanaged.passUnretained(sink).toOpaque())
        if code != 0 { return try recover("a quote is never closed") }
        return sink.isRowDone ? .cells : nil
    }

    /// After a fault: takes the first line of the row as it is meant, or reports it; the others are read again.
    private func recover(_ fault: String) throws(Failure) -> Row {
        let first = lineEnds.first ?? raw.count
        let rest = lineEnds.dropFirst()
        if !rest.isEmpty {
            retries += 1
            if retries > Self.retryLimit {
                throw Failure(
                    "csv-syntax", "quotes are wrong in more than \(Self.retryLimit) places; mend the file",
                    at: .text(file: source.file.path, line: line, column: 1))
            }
            var start = first
            var lines: [[UInt8]] = []
            for end in rest {
                lines.append(Array(raw[start..<end]))
                start = end
            }
            again += lines.reversed()
            lineNumber -= lines.count
        } else if let cells = lenientCells() {
            // `5" pipe` without quotes around it: no rule allows it, every spreadsheet reads it.
            restart()
            sink.cells = cells
            return .cells
        }
        raw.removeLast(raw.count - first)
        lineEnds = [first]
        restart()
        return .fault(fault, line: line)
    }

    /// The cells of the one line where quotes inside unquoted cells are text; nil where they are not only there.
    private func lenientCells() -> [String]? {
        var cells: [String] = []
        var at = 0
        var end = raw.count
        while end > 0, raw[end - 1] == 0x0A || raw[end - 1] == 0x0D { end -= 1 }
        let quote = UInt8(ascii: "\"")
        while at <= end {
            if at < end, raw[at] == quote {
                var text: [UInt8] = []
                at += 1
                while true {
                    guard at < end else { return nil }
                    if raw[at] == quote {
                        at += 1
                        guard at < end, raw[at] == quote else { break }
                    }
                    text.append(raw[at])
                    at += 1
                }
                guard at == end || raw[at] == delimiter else { return nil }
                cells.append(String(decoding: text, as: UTF8.self))
            } else {
                let start = at
                while at < end, raw[at] != delimiter { at += 1 }
                cells.append(String(decoding: raw[start..<at], as: UTF8.self))
            }
            at += 1
        }
        return cells
    }

    /// Where a cell of the row begins: line and column from 1, the column in Unicode scalars.
    public func position(ofCell index: Int) -> (line: Int, column: Int) {
        if positions.isEmpty { findPositions() }
        return positions[min(index, positions.count - 1)]
    }

    private func findPositions() {
        var (line, column) = (self.line, 1)
        var isQuoted = false
        positions.append((line, column))
        raw.withUnsafeBufferPointer { bytes in
            for byte in bytes {
                if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
                if byte == 0x0A {
                    line += 1
                    column = 1
                    continue
                }
                if byte & 0xC0 != 0x80 { column += 1 }
                if byte == delimiter, !isQuoted { positions.append((line, column)) }
            }
        }
    }
}

@available(*, unavailable)
extension CSVReader: Sendable {}
