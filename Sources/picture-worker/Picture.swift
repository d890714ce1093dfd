import CVips

/// Why a picture cannot be made, in words for its owner.
struct Fault: Error {
    let reason: String
}

/// What libvips says of the last failure: its first line.
func vipsReason() -> String {
    let text = String(cString: vips_error_buffer())
    vips_error_clear()
    return text.split(separator: "\n").first.map(String.init) ?? "libvips gives no reason"
}

/// A picture of libvips, released when the last owner goes.
final class Pixels {
    fileprivate let image: OpaquePointer

    fileprivate init(_ image: OpaquePointer) { self.image = image }

    deinit { bs_vips_release(image) }

    fileprivate static func make(_ body: (inout OpaquePointer?) -> Int32) throws(Fault) -> Pixels {
        var image: OpaquePointer?
        guard body(&image) == 0, let image else { throw Fault(reason: vipsReason()) }
        return Pixels(image)
    }

    var width: Int { Int(vips_image_get_width(image)) }
    var height: Int { Int(vips_image_get_height(image)) }
    var channels: Int32 { bs_vips_channels(image) }

    func resized(to width: Int, _ height: Int) throws(Fault) -> Pixels {
        try .make { bs_vips_resize(image, Int32(width), Int32(height), &$0) }
    }

    /// The same without a transparency that hides nothing.
    func withoutIdleAlpha() throws(Fault) -> Pixels {
        guard channels == 4 else { return self }
        var least = 0.0
        guard bs_vips_least_alpha(image, &least) == 0 else { throw Fault(reason: vipsReason()) }
        return least < 255 ? self : try .make { bs_vips_drop_alpha(image, &$0) }
    }

    /// Bytes of the channels, pixel after pixel.
    func bytes() throws(Fault) -> [UInt8] {
        var count: UInt = 0
        guard let memory = bs_vips_pixels(image, &count) else { throw Fault(reason: vipsReason()) }
        defer { bs_vips_free(memory) }
        return Array(UnsafeRawBufferPointer(start: memory, count: Int(count)))
    }

    func encoded(_ format: String, quality: Int32) throws(Fault) -> [UInt8] {
        var memory: UnsafeMutableRawPointer?
        var count: UInt = 0
        let code =
            switch format {
            case "webp": bs_vips_webp(image, quality, 3, &memory, &count)
            case "avif": bs_vips_avif(image, max(1, quality * 3 / 4), &memory, &count)
            case "jpg": bs_vips_jpeg(image, quality, &memory, &count)
            default: bs_vips_png(image, &memory, &count)
            }
        guard code == 0, let memory else { throw Fault(reason: vipsReason()) }
        defer { bs_vips_free(memory) }
        let file = Array(UnsafeRawBufferPointer(start: memory, count: Int(count)))
        return format == "webp" ? bareWebP(file) : file
    }
}

/// A WebP file without metadata: libvips 8.14 writes an EXIF block into every one, whatever it is told.
///
/// - Returns: the file as it was when it is none of the kinds that we write (RFC 9649, section 2).
func bareWebP(_ file: [UInt8]) -> [UInt8] {
    func number(_ at: Int) -> Int { (0..<4).reduce(0) { $0 | Int(file[at + $1]) << (8 * $1) } }
    func bytes(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (8 * $0) & 0xFF) } }
    guard file.count > 30, file[12..<16].elementsEqual("VP8X".utf8) else { return file }
    let alpha: UInt8 = 0x10
    var chunks: [ArraySlice<UInt8>] = []
    var at = 12
    while at + 8 <= file.count {
        let end = at + 8 + number(at + 4) + number(at + 4) % 2
        guard end <= file.count else { return file }
        if ["VP8X", "VP8 ", "VP8L", "ALPH"].contains(String(decoding: file[at..<(at + 4)], as: UTF8.self)) {
            chunks.append(file[at..<end])
        }
        at = end
    }
    var body: [UInt8] = Array("WEBP".utf8)
    // The header that tells of further blocks is only needed when there is one.
    let isExtended = chunks.contains { $0.starts(with: "ALPH".utf8) }
    for chunk in chunks {
        if chunk.starts(with: "VP8X".utf8) {
            guard isExtended else { continue }
            var header = Array(chunk)
            header[8] = alpha
            body += header
        } else {
            body += chunk
        }
    }
    return Array("RIFF".utf8) + bytes(body.count) + body
}

/// All sizes and formats of a picture.
///
/// The result is a few lines, then the files in the order of the lines:
///
///     WIDTH HEIGHT OPAQUE COLOUR COUNT        the picture, upright; OPAQUE is 0 or 1, COLOUR six hexadecimal digits
///     FORMAT WIDTH HEIGHT LENGTH              COUNT times
func makePicture(_ source: [UInt8], _ job: Job) throws(Fault) -> [UInt8] {
    bs_vips_allow_svg(job.isSVG ? 1 : 0)
    let (width, height, needsProfile) = try header(of: source, job)
    let widths = job.widths(ofWidth: width, height: height)
    // Always of the whole, so that every size has the same shape.
    func scaled(to part: Int) -> Int { max(1, (height * part + width / 2) / width) }
    let largest = widths.last ?? width
    let decoded = try Pixels.make { image in
        source.withUnsafeBytes {
            bs_vips_decode(
                $0.baseAddress, UInt($0.count), Int32(largest), Int32(scaled(to: largest)), needsProfile,
                &image)
        }
    }
    let full = try decoded.withoutIdleAlpha()
    let isOpaque = full.channels < 4
    var files: [(format: String, width: Int, height: Int, bytes: [UInt8])] = []
    let fallbacks = [widths.last { $0 <= 320 } ?? widths[0], widths.last { $0 <= 1000 } ?? widths[0]]
    // From large to small, each of the one before: what the eye cannot tell from the original, at a third of the time.
    var at = full
    for part in widths.reversed() {
        if at.width != part { at = try at.resized(to: part, scaled(to: part)) }
        var formats = ["webp"]
        if job.wantsAVIF { formats.append("avif") }
        if job.family != "webp", fallbacks.contains(part) {
            formats.append(isOpaque ? job.family : "png")
        }
        for format in formats {
            files.append((format, at.width, at.height, try at.encoded(format, quality: job.quality)))
        }
    }
    files.reverse()
    let colour = dominantColour(try at.resized(to: 24, 24))
    var out = Array("\(width) \(height) \(isOpaque ? 1 : 0) \(colour) \(files.count)\n".utf8)
    for file in files {
        out.append(contentsOf: "\(file.format) \(file.width) \(file.height) \(file.bytes.count)\n".utf8)
    }
    for file in files { out.append(contentsOf: file.bytes) }
    return out
}

/// The size of the upright picture, and whether its colours need a profile, by its header.
private func header(
    of source: [UInt8], _ job: Job
) throws(Fault) -> (width: Int, height: Int, needsProfile: Int32) {
    let header = try Pixels.make { image in
        source.withUnsafeBytes { bs_vips_open($0.baseAddress, UInt($0.count), &image) }
    }
    var (width, height) = (header.width, header.height)
    if bs_vips_is_turned(header.image) != 0 { swap(&width, &height) }
    guard width > 0, height > 0, width <= 20_000, height <= 20_000, width * height <= 100_000_000 else {
        throw Fault(reason: "has \(width) × \(height) pixels")
    }
    if job.isSVG {
        // A drawing has no size of its own: the largest that a card shows.
        let most = job.widths.last { $0 <= 1000 } ?? width
        height = max(1, min(2 * most, height * most / width))
        width = most
    }
    return (width, height, bs_vips_needs_profile(header.image))
}
