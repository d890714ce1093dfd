import Basics
import CBrotli
import CZlib
import Site

/// Packs bytes; the same bytes give the same result everywhere, since no time and no name goes in.
enum Packing {
    /// The bytes as a gzip file, at the strongest level.
    static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        // 31: the largest window, in gzip's frame. It fails only without memory.
        precondition(bs_deflateInit2(&stream, 9, 31) == Z_OK, "zlib has no memory")
        defer { deflateEnd(&stream) }
        var out = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
        var input = bytes
        let code = input.withUnsafeMutableBufferPointer { input in
            out.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                return deflate(&stream, Z_FINISH)
            }
        }
        precondition(code == Z_STREAM_END, "deflateBound promised room for everything")
        out.removeLast(out.count - Int(stream.total_out))
        return out
    }

    /// What a gzip file holds; nil if it is none, is damaged, or holds more than `limit` bytes.
    static func unpackedGzip(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
        var stream = z_stream()
        guard bs_inflateInit2(&stream, 31) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var out: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 256 << 10)
        var input = bytes
        let isWhole = input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            while true {
                let (code, count) = chunk.withUnsafeMutableBufferPointer { output in
                    stream.next_out = output.baseAddress
                    stream.avail_out = UInt32(output.count)
                    return (inflate(&stream, Z_NO_FLUSH), output.count - Int(stream.avail_out))
                }
                out += chunk[..<count]
                if code == Z_STREAM_END { return true }
                if code != Z_OK || out.count > limit || (count == 0 && stream.avail_in == 0) { return false }
            }
        }
        return isWhole && out.count <= limit ? out : nil
    }

    /// The bytes as a Brotli stream.
    static func brotli(_ bytes: [UInt8]) -> [UInt8] {
        var size = BrotliEncoderMaxCompressedSize(bytes.count)
        var out = [UInt8](repeating: 0, count: size)
        // Level 9 of 11: the last two take ten times as long for some per cent.
        let code = BrotliEncoderCompress(9, 22, BROTLI_MODE_TEXT, bytes.count, bytes, &size, &out)
        precondition(code == BROTLI_TRUE, "brotli has no memory")
        out.removeLast(out.count - size)
        return out
    }

    /// Bytes packed in one of the ways that servers look for.
    static func pack(_ bytes: [UInt8], _ packing: PublishTarget.Packing) -> [UInt8] {
        switch packing {
        case .gzip: gzip(bytes)
        case .brotli: brotli(bytes)
        }
    }

    /// Whether a file is worth packing: a text that is more than one packet's worth of headers.
    static func isWorthwhile(_ file: FinishedSite.File) -> Bool {
        let texts = [".html", ".css", ".js", ".mjs", ".svg", ".xml", ".json", ".txt", ".webmanifest"]
        return file.size >= 256 && texts.contains { file.path.hasSuffix($0) }
    }
}
