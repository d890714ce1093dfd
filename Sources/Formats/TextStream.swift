public import Basics
import Glibc

/// The text of a file as UTF-8, whatever encoding it has, in pieces or lines. Belongs to one thread.
///
/// Bytes that stand for no character become U+FFFE, which no text has: whoever reads a cell with it knows that
/// the file is damaged there.
public final class TextStream {
    /// What stands in place of bytes that are no character: U+FFFE.
    static let damageBytes: [UInt8] = [0xEF, 0xBF, 0xBE]
    /// The longest line that is read, in bytes; a file without line ends must not fill the memory.
    public static let lineLimit = 16 << 20

    /// The file.
    public let file: InputFile
    /// Its encoding.
    public let encoding: TextEncoding
    /// The number of the line that was read last, from 1.
    public private(set) var line = 0

    private let converter: iconv_t?
    /// Undecoded bytes at the end of the last piece.
    private var carry: [UInt8] = []
    /// A CR at the end of the last piece, which waits for the LF that may follow it.
    private var holdsReturn = false
    private var isAtStart = true
    private var isAtEnd = false
    private var raw: [UInt8] = []
    /// Decoded text that no line was made of yet, and where it starts.
    private var text: [UInt8] = []
    private var textStart = 0

    /// A stream from the start of the file.
    public init(_ file: InputFile, encoding: TextEncoding) throws(Failure) {
        self.file = file
        self.encoding = encoding
        if encoding == .utf8 {
            converter = nil
        } else {
            let opened = iconv_open("UTF-8", encoding.name)
            guard Int(bitPattern: opened) != -1 else {
                throw Failure(
                    "text-encoding",
                    "this system cannot read '\(encoding.name)'; save the file as UTF-8, or install the package "
                        + "libc-gconv-modules-extra", at: .file(file.path))
            }
            converter = opened
        }
        do { try file.rewind() } catch { throw Failure("import-read", error.reason, at: .file(file.path)) }
    }

    deinit { if let converter { iconv_close(converter) } }

    /// Appends the next line with the bytes that end it; false after the last.
    ///
    /// Lines end in LF, CR LF, or a CR alone, as in files of old.
    public func appendLine(to line: inout [UInt8]) throws(Failure) -> Bool {
        var found = 0
        while true {
            if textStart < text.count {
                let end = lineEnd()
                let stop = end ?? text.count
                line.append(contentsOf: text[textStart..<stop])
                found += stop - textStart
                textStart = stop
                if end != nil {
                    self.line += 1
                    return true
                }
                if found > Self.lineLimit {
                    throw Failure(
                        "import-limit", "a line of more than 16 MB; is this a text file?",
                        at: .text(file: file.path, line: self.line + 1, column: 1))
                }
            }
            textStart = 0
            guard let next = try chunk() else {
                text = []
                if found == 0 { return false }
                self.line += 1
                return true
            }
            text = next
        }
    }

    /// Where the line ends that starts at `textStart`, after its end mark; nil when that is not read yet.
    private func lineEnd() -> Int? {
        text.withUnsafeBufferPointer { bytes in
            for i in textStart..<bytes.count where bytes[i] == 0x0A || bytes[i] == 0x0D {
                // A CR is the last byte of a piece only at the end of the file.
                let isPair = bytes[i] == 0x0D && i + 1 < bytes.count && bytes[i + 1] == 0x0A
                return isPair ? i + 2 : i + 1
            }
            return nil
        }
    }

    /// The next piece of text, of some 256 kB; nil at the end. Whoever reads lines must not call this.
    public func chunk() throws(Failure) -> [UInt8]? {
        while !isAtEnd {
            do { try file.read(1 << 18, into: &raw) } catch {
                throw Failure("import-read", error.reason, at: .file(file.path))
            }
            if raw.isEmpty { isAtEnd = true }
            if !carry.isEmpty {
                raw = carry + raw
                carry = []
            }
            var out = converter.map { convert($0) } ?? checked()
            if isAtStart, !out.isEmpty {
                isAtStart = false
                if out.starts(with: [0xEF, 0xBB, 0xBF]) { out.removeFirst(3) }
            }
            if holdsReturn { out.insert(0x0D, at: 0) }
            holdsReturn = !isAtEnd && out.last == 0x0D
            if holdsReturn { out.removeLast() }
            if !out.isEmpty { return out }
        }
        return nil
    }

    /// The bytes, which are said to be UTF-8, with those replaced that are not.
    private func checked() -> [UInt8] {
        let whole = isAtEnd ? raw.count : UTF8Check.wholeLength(of: raw)
        carry = Array(raw[whole...])
        guard var fault = UTF8Check.firstFault(in: raw, range: 0..<whole) else {
            if whole < raw.count { raw.removeLast(raw.count - whole) }
            return raw
        }
        var out: [UInt8] = []
        var at = 0
        while true {
            out.append(contentsOf: raw[at..<fault])
            out.append(contentsOf: Self.damageBytes)
            at = fault + 1
            while at < whole, raw[at] & 0xC0 == 0x80 { at += 1 }
            guard let next = UTF8Check.firstFault(in: raw, range: at..<whole) else { break }
            fault = next
        }
        out.append(contentsOf: raw[at..<whole])
        return out
    }

    private func convert(_ converter: iconv_t) -> [UInt8] {
        var out: [UInt8] = []
        // No encoding of the list needs more than three bytes of UTF-8 for one of its own.
        out.reserveCapacity(raw.count * 3 + 16)
        var space = [UInt8](repeating: 0, count: 1 << 16)
        raw.withUnsafeMutableBytes { bytes in
            var from = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            var left = bytes.count
            while left > 0 {
                let before = left
                let (written, code): (Int, Int32) = space.withUnsafeMutableBytes { target in
                    var to = target.baseAddress?.assumingMemoryBound(to: CChar.self)
                    var room = target.count
                    let result = iconv(converter, &from, &left, &to, &room)
                    return (target.count - room, result == -1 ? errno : 0)
                }
                out.append(contentsOf: space[..<written])
                if code == EINVAL, !isAtEnd {
                    // A character whose rest is in the next piece.
                    carry = Array(bytes[(bytes.count - left)...])
                    return
                }
                if code == EILSEQ || code == EINVAL {
                    out.append(contentsOf: Self.damageBytes)
                    let step = min(left, encoding.name.hasPrefix("UTF-16") ? 2 : 1)
                    from = from.map { $0 + step }
                    left -= step
                } else if code != E2BIG, left == before {
                    return
                }
            }
        }
        return out
    }
}

@available(*, unavailable)
extension TextStream: Sendable {}
