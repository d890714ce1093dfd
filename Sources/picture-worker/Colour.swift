/// The colour that stands for a picture until it is there, as six hexadecimal digits.
///
/// The ground of a product picture is white, or nothing: so what is neither counts, if it is a part worth the name.
/// Of that, the colours that are alike and most are taken, and those with more colour before those with less.
///
/// - Parameter pixels: a small one, of three or four channels.
func dominantColour(_ pixels: Pixels) -> String {
    guard let bytes = try? pixels.bytes() else { return "8b8071" }
    let channels = Int(pixels.channels)
    struct Sum {
        var weight = 0, red = 0, green = 0, blue = 0

        mutating func add(_ red: Int, _ green: Int, _ blue: Int, weight: Int) {
            self.weight += weight
            self.red += weight * red
            self.green += weight * green
            self.blue += weight * blue
        }

        var hex: String {
            func digits(_ sum: Int) -> String {
                let text = String((sum + weight / 2) / max(1, weight), radix: 16)
                return text.utf8.count == 1 ? "0" + text : text
            }
            return digits(red) + digits(green) + digits(blue)
        }
    }
    var all = Sum()
    var bins = [Sum](repeating: Sum(), count: 64)
    var counted = 0
    for at in stride(from: 0, to: bytes.count - channels + 1, by: channels) {
        let (red, green, blue) = (Int(bytes[at]), Int(bytes[at + 1]), Int(bytes[at + 2]))
        let alpha = channels == 4 ? Int(bytes[at + 3]) : 255
        if alpha < 32 { continue }
        all.add(red, green, blue, weight: alpha)
        if min(red, green, blue) > 235 { continue }
        counted += 1
        let chroma = max(red, green, blue) - min(red, green, blue)
        bins[(red >> 6) * 16 + (green >> 6) * 4 + (blue >> 6)].add(
            red, green, blue, weight: alpha * (32 + chroma))
    }
    if all.weight == 0 { return "8b8071" }
    // A twentieth: less is a mark on the ground.
    guard counted * 20 >= bytes.count / channels else { return all.hex }
    // The first of equals, so that the same picture has the same colour.
    var best = bins[0]
    for bin in bins where bin.weight > best.weight { best = bin }
    return best.hex
}
