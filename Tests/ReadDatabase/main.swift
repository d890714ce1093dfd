/// Reads databases as a build does and says what came of it and what it cost, one line a file.
///
///     read-database [--survey] [--catalogue] FILE…
///
/// `--catalogue` maps the columns of the synthetic catalogue.
import Basics
import Database
import Glibc
import Model

func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

var mapping = Mapping(currency: Currency("GBP")!)
var detail = CatalogueReader.Detail.full
for argument in CommandLine.arguments.dropFirst() {
    switch argument {
    case "--survey": detail = .survey
    case "--catalogue":
        mapping.queries[.products] = """
            SELECT id, sku, name, slug, producer, style, country, region, abv, volume_ml, price_minor, currency,
              availability, bottling_note_html AS bottling_note, tasting_note_html AS tasting_note,
              image AS picture, created, updated FROM products
            """
    default:
        let start = processorSeconds()
        var products = 0, reviews = 0, faults = 0
        var result = "read"
        do {
            let reader = try CatalogueReader(path: argument, mapping: mapping)
            try reader.forEachProduct(detail) { entry in
                products += 1
                reviews += entry.reviewCount
                faults += entry.faults.count
            }
        } catch {
            result = "\(error)"
        }
        let seconds = Int((processorSeconds() - start) * 1000)
        print(
            "\(argument): \(products) products, \(reviews) reviews, \(faults) faults, \(seconds) ms CPU: \(result)"
        )
    }
}
