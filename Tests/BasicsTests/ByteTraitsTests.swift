import Basics
import Testing

@Suite struct ByteTraitsTests {
    /// What a loop over single bytes says.
    private func expected(_ bytes: [UInt8]) -> ByteTraits {
        var traits: ByteTraits = []
        var previous: UInt8 = 0
        for byte in bytes {
            switch byte {
            case 0x09, 0x0A, 0x0D: traits.insert(.lineEndOrTab)
            case 0x00..<0x20, 0x7F: traits.insert(.control)
            case 0x80...: traits.insert(.beyondASCII)
            default: break
            }
            if byte == 0xC2 { traits.insert(.c2) }
            if (0xE1...0xE3).contains(byte) { traits.insert(.e1ToE3) }
            if byte == 0x20, previous == 0x20 { traits.insert(.twoSpaces) }
            previous = byte
        }
        return traits
    }

    private func traits(of bytes: [UInt8]) -> ByteTraits { bytes.withUnsafeBytes { ByteTraits(of: $0) } }

    @Test func saysWhatALoopSaysWhereverAByteIs() {
        for count in 0...50 {
            let plain = [UInt8](repeating: 0x61, count: count)
            #expect(traits(of: plain).isEmpty)
            for place in 0..<count {
                for byte in [
                    0x00, 0x09, 0x0A, 0x0D, 0x1F, 0x20, 0x7E, 0x7F, 0x80, 0xC2, 0xC3, 0xE0, 0xE1, 0xE3, 0xE4,
                    0xFF,
                ] {
                    var bytes = plain
                    bytes[place] = UInt8(byte)
                    #expect(traits(of: bytes) == expected(bytes), "\(byte) at \(place) of \(count)")
                    if byte == 0x20, place + 1 < count {
                        bytes[place + 1] = 0x20
                        #expect(traits(of: bytes) == expected(bytes), "two spaces at \(place) of \(count)")
                    }
                }
            }
        }
    }

    @Test func findsTheEndOfTextWhereverItIs() {
        for count in 0...40 {
            for byte in UInt8.min...UInt8.max {
                let isText = byte >= 0x20 && byte != UInt8(ascii: "&") && byte != UInt8(ascii: "<")
                for place in 0..<count {
                    var bytes = [UInt8](repeating: 0xC3, count: count)
                    bytes[place] = byte
                    let length = bytes.withUnsafeBufferPointer { ByteTraits.lengthOfText($0) }
                    if length != (isText ? count : place) {
                        Issue.record("byte \(byte) at \(place) of \(count): \(length)")
                        return
                    }
                }
            }
        }
    }

    /// Every pair of bytes, and every byte after the leads that restrict it, at the ends of blocks as well.
    @Test func takesForUTF8WhatSwiftDoes() {
        func check(_ sequence: [UInt8], after count: Int) {
            let bytes = [UInt8](repeating: 0x61, count: count) + sequence
            let isUTF8 = bytes.withUnsafeBytes { ByteTraits.areUTF8($0) }
            #expect(isUTF8 == (String(validating: bytes, as: UTF8.self) != nil), "\(sequence) after \(count)")
        }
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max { check([first, second], after: 0) }
        }
        let edges: [UInt8] = [0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
        for lead in UInt8(0xC0)...0xFF {
            for second in edges {
                for third in edges {
                    for count in [0, 13, 14, 15, 16, 17] {
                        check([lead, second, third], after: count)
                        check([lead, second, third, 0xBF], after: count)
                        check([lead, second, third, 0x80, 0x41], after: count)
                    }
                }
            }
        }
    }
}
