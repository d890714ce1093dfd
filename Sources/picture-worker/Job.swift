import Glibc

/// One line of standard input, which is followed by the bytes of the picture:
///
///     picture LENGTH SECONDS QUALITY AVIF SVG FAMILY WIDTH,WIDTH,…
///
/// `AVIF` and `SVG` are 0 or 1: whether to write AVIF as well, and whether this is an SVG that the site trusts. `FAMILY`
/// is the format that browsers without WebP get: `jpg`, `png`, or `webp` for none.
struct Job {
    let length: Int
    let seconds: Int
    let quality: Int32
    let wantsAVIF: Bool
    let isSVG: Bool
    let family: String
    /// The widths that pages show, ascending, in pixels.
    let widths: [Int]

    /// The most bytes that a picture may have.
    static let lengthLimit = 64 << 20

    init?(_ line: String) {
        let words = line.split(separator: " ")
        guard words.count == 8, words[0] == "picture", let length = Int(words[1]),
            (1...Self.lengthLimit).contains(length), let seconds = Int(words[2]),
            (1...3600).contains(seconds),
            let quality = Int32(words[3]), (1...100).contains(quality),
            ["jpg", "png", "webp"].contains(words[6])
        else { return nil }
        let widths = words[7].split(separator: ",").compactMap { Int($0) }
        guard !widths.isEmpty, widths.allSatisfy({ (1...8192).contains($0) }) else { return nil }
        self.length = length
        self.seconds = seconds
        self.quality = quality
        wantsAVIF = words[4] == "1"
        isSVG = words[5] == "1"
        family = String(words[6])
        self.widths = widths
    }

    /// The widths to make of a picture that is so large: those of the layout that it reaches, and its own.
    ///
    /// Nothing is made larger than it is. A width that is nearly the last is left out: it would save nobody anything.
    func widths(ofWidth width: Int, height: Int) -> [Int] {
        let largest = widths.last ?? width
        // Twice as high as wide is as far as a page can use it; libwebp ends at 16,383 pixels.
        let most = max(1, min(width, largest, largest * 2 * width / height))
        return widths.filter { $0 * 115 <= most * 100 } + [most]
    }
}

/// Standard input, buffered.
final class Input {
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// The next line without its end; nil at the end of the input, or when a line has no end.
    func line() -> String? {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                let line = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeFirst(end + 1)
                return line
            }
            guard buffer.count < 4096, fill(buffer.count + 4096) else { return nil }
        }
    }

    /// Exactly so many bytes; nil when the input ends before.
    func bytes(_ count: Int) -> [UInt8]? {
        buffer.reserveCapacity(count)
        while buffer.count < count {
            guard fill(count) else { return nil }
        }
        let bytes = Array(buffer[..<count])
        buffer.removeFirst(count)
        return bytes
    }

    /// Reads once, up to so many bytes in the buffer.
    private func fill(_ count: Int) -> Bool {
        var chunk = [UInt8](repeating: 0, count: min(count - buffer.count, 1 << 20))
        while true {
            let n = read(descriptor, &chunk, chunk.count)
            if n < 0, errno == EINTR { continue }
            guard n > 0 else { return false }
            buffer.append(contentsOf: chunk[..<n])
            return true
        }
    }
}

/// Writes everything; false when nobody reads any more.
func write(all bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
        let n = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if n < 0, errno == EINTR { continue }
        guard n > 0 else { return false }
        rest = rest.dropFirst(n)
    }
    return true
}
