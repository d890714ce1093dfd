import Database

/// The tables of a WordPress with WooCommerce, which are the same in every shop: what they mean is known, not guessed.
///
/// Products are posts, their values rows of labels and texts, categories terms of a taxonomy, pictures posts of their own, ratings rows
/// beside comments. No looking at columns tells that. (https://developer.woocommerce.com/docs/best-practices/data-management/)
struct WooCommerceTables {
    private let survey: DatabaseSurvey
    private let posts: DatabaseSurvey.Table
    /// What all names of tables begin with: `wp_`.
    private let prefix: String

    /// Nil when the database is none, or has no product.
    init?(_ survey: DatabaseSurvey) {
        let wanted = [
            "id", "post_title", "post_name", "post_content", "post_excerpt", "post_status", "post_type",
            "post_date", "post_modified", "post_password",
        ]
        for table in survey.tables where table.name.lowercased().hasSuffix("posts") {
            let prefix = String(table.name.dropLast("posts".count))
            let columns = Set(table.columns.map { $0.name.lowercased() })
            let others = ["postmeta", "terms", "term_taxonomy", "term_relationships"]
            guard columns.isSuperset(of: wanted), others.allSatisfy({ survey.table(prefix + $0) != nil }),
                survey.number(
                    "SELECT 1 FROM \(SQLText.identifier(table.name)) WHERE post_type = 'product' LIMIT 1")
                    == 1
            else { continue }
            (self.survey, posts, self.prefix) = (survey, table, prefix)
            return
        }
        return nil
    }

    var product: ProductTable {
        ProductTable(
            table: posts, key: "ID", reasons: ["the tables are those of WooCommerce"], sureness: .sure,
            others: [])
    }

    private func table(_ name: String) -> String { SQLText.identifier(prefix + name) }
    private func has(_ name: String) -> Bool { survey.table(prefix + name) != nil }
    private func option(_ name: String) -> String? {
        guard has("options") else { return nil }
        let text = survey.texts(
            "SELECT option_value FROM \(table("options")) WHERE option_name = '\(name)' LIMIT 1")?.first
        return text.flatMap { $0.isEmpty ? nil : $0 }
    }

    // MARK: Queries

    /// A value of a product, none if it is empty.
    private func value(_ key: String, _ expression: String = "m.meta_value") -> String {
        "(SELECT \(expression) FROM \(table("postmeta")) AS m WHERE m.post_id = p.ID AND m.meta_key = '\(key)' AND m.meta_value <> '' LIMIT 1)"
    }

    /// The terms of a post in a taxonomy, as far as `FROM` and its conditions.
    private func terms(of post: String, in condition: String) -> String {
        """
        \(table("term_relationships")) AS r
            JOIN \(table("term_taxonomy")) AS x ON x.term_taxonomy_id = r.term_taxonomy_id
            JOIN \(table("terms")) AS t ON t.term_id = x.term_id
          WHERE r.object_id \(post) AND \(condition)
        """
    }

    private func hasTerm(_ slug: String) -> String {
        "EXISTS (SELECT 1 FROM \(terms(of: "= p.ID", in: "x.taxonomy = 'product_visibility' AND t.slug = '\(slug)'")))"
            .split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }.joined(separator: " ")
    }

    /// Which posts are products that are for sale.
    private var isShown: String {
        """
        p.post_type = 'product' AND p.post_status = 'publish' AND p.post_password = ''
            AND NOT \(hasTerm("exclude-from-catalog"))
        """
    }

    private var shown: String {
        "IN (SELECT p.ID FROM \(table("posts")) AS p WHERE \(isShown))"
    }

    /// The taxonomy of brands that has most products: WooCommerce's own, or those of plugins before there was one.
    private var brand: String? {
        let names = ["product_brand", "pwb-brand", "yith_product_brand", "berocket_brand"]
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        return survey.texts(
            """
            SELECT x.taxonomy FROM \(table("term_taxonomy")) AS x JOIN \(table("term_relationships")) AS r ON r.term_taxonomy_id = x.term_taxonomy_id
            WHERE x.taxonomy IN (\(list)) GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1
            """)?.first
    }

    private var products: String {
        var columns = [
            "p.ID AS id", "\(plain("p.post_title")) AS name", "p.post_name AS slug",
            "\(value("_sku")) AS sku",
            "\(value("_global_unique_id")) AS gtin",
        ]
        if let brand {
            columns.append(
                "(SELECT \(plain("t.name")) FROM \(terms(of: "= p.ID", in: "x.taxonomy = '\(brand)'")) ORDER BY t.name LIMIT 1) AS producer"
            )
        }
        columns += [
            "coalesce(\(value("_regular_price")), \(value("_price", "min(m.meta_value + 0)"))) AS price,  -- of variants the lowest",
            "\(value("_sale_price")) AS sale_price",
            "CASE \(value("_stock_status")) WHEN 'instock' THEN 'in-stock' WHEN 'outofstock' THEN 'sold-out' WHEN 'onbackorder' THEN 'coming-soon' END AS availability",
            "CASE WHEN \(value("_manage_stock")) = 'yes' THEN CAST(\(value("_stock")) AS INTEGER) END AS stock",
            "CASE WHEN instr(p.post_excerpt, '<') = 0 THEN NULLIF(trim(p.post_excerpt), '') END AS summary",
            "CASE WHEN instr(p.post_content, '<p') THEN p.post_content WHEN trim(p.post_content) <> '' THEN '<p>' || replace(replace(p.post_content, char(13), ''), char(10, 10), '</p><p>') || '</p>' END AS bottling_note,  -- empty lines part paragraphs",
            "CASE WHEN \(hasTerm("featured")) THEN 1 END AS featured",
            "p.post_date AS created", "p.post_modified AS updated",
        ]
        return "SELECT\n"
            + columns.enumerated().map { i, column in
                // A comma goes before a comment.
                "  " + column + (i == columns.count - 1 || column.contains(",  --") ? "" : ",")
            }.joined(separator: "\n") + "\nFROM \(table("posts")) AS p\nWHERE \(isShown)"
    }

    /// A name as text: WordPress keeps `&` as in HTML.
    private func plain(_ sql: String) -> String { "replace(\(sql), '&amp;', '&')" }

    private var categories: String {
        let picture =
            has("termmeta")
            ? """
            ,
              (SELECT f.meta_value FROM \(table("termmeta")) AS m JOIN \(table("postmeta")) AS f ON f.post_id = m.meta_value AND f.meta_key = '_wp_attached_file'
                WHERE m.term_id = t.term_id AND m.meta_key = 'thumbnail_id' LIMIT 1) AS picture
            """ : ""
        return """
            SELECT
              t.term_id AS id,
              NULLIF(x.parent, 0) AS parent_id,
              \(plain("t.name")) AS name,
              NULLIF(x.description, '') AS description\(picture)
            FROM \(table("term_taxonomy")) AS x
              JOIN \(table("terms")) AS t ON t.term_id = x.term_id
            WHERE x.taxonomy = 'product_cat' AND t.slug <> 'uncategorized'
            """
    }

    private var productCategories: String {
        """
        SELECT
          r.object_id AS product_id,
          t.term_id AS category_id
        FROM \(terms(of: shown, in: "x.taxonomy = 'product_cat' AND t.slug <> 'uncategorized'"))
        """
    }

    private var facets: String {
        let derived = "upper(substr(x.taxonomy, 4, 1)) || replace(substr(x.taxonomy, 5), '-', ' ')"
        let label =
            has("woocommerce_attribute_taxonomies")
            ? "coalesce((SELECT NULLIF(a.attribute_label, '') FROM \(table("woocommerce_attribute_taxonomies")) AS a WHERE 'pa_' || a.attribute_name = x.taxonomy), \(derived))"
            : derived
        return """
            SELECT
              r.object_id AS product_id,
              CASE x.taxonomy WHEN 'product_tag' THEN 'Tag' ELSE \(label) END AS facet,
              \(plain("t.name")) AS value
            FROM \(terms(of: shown, in: "(x.taxonomy = 'product_tag' OR substr(x.taxonomy, 1, 3) = 'pa_')"))
            """
    }

    private var pictures: String {
        let text =
            "(SELECT NULLIF(a.meta_value, '') FROM \(table("postmeta")) AS a WHERE a.post_id = f.post_id AND a.meta_key = '_wp_attachment_image_alt') AS alt"
        return """
            SELECT m.post_id AS product_id, 0 AS position, f.meta_value AS file, \(text)
            FROM \(table("postmeta")) AS m
              JOIN \(table("postmeta")) AS f ON f.post_id = m.meta_value AND f.meta_key = '_wp_attached_file'
            WHERE m.meta_key = '_thumbnail_id' AND m.post_id \(shown)
            UNION ALL
            SELECT m.post_id, 1 + j.key, f.meta_value, \(text)
            FROM \(table("postmeta")) AS m
              JOIN json_each(CASE WHEN json_valid('[' || m.meta_value || ']') THEN '[' || m.meta_value || ']' ELSE '[]' END) AS j
              JOIN \(table("postmeta")) AS f ON f.post_id = j.value AND f.meta_key = '_wp_attached_file'
            WHERE m.meta_key = '_product_image_gallery' AND m.post_id \(shown)
            """
    }

    private var reviews: String? {
        guard has("comments") else { return nil }
        let rating =
            has("commentmeta")
            ? """
            ,
              (SELECT m.meta_value FROM \(table("commentmeta")) AS m WHERE m.comment_id = c.comment_ID AND m.meta_key = 'rating') AS rating
            """ : ""
        return """
            SELECT
              c.comment_ID AS id,
              c.comment_post_ID AS product_id,
              c.comment_author AS author,
              c.comment_date AS date,
              c.comment_content AS body\(rating)
            FROM \(table("comments")) AS c
            WHERE c.comment_approved = '1' AND c.comment_parent = 0 AND c.comment_type IN ('review', 'comment', '')
              AND c.comment_post_ID \(shown)
            """
    }

    // MARK: What is said

    private func count(_ sql: String) -> Int { survey.number("SELECT count(*) FROM (\(sql))") ?? 0 }

    var mapped: Mapped {
        var out = Mapped()
        out.title = option("blogname").map { $0.replacing("&amp;", with: "&") }
        out.parts[.products] = .init(sql: products)
        out.hasPrices = true
        if let code = option("woocommerce_currency") {
            out.currency = (code, "as the shop has it")
        } else {
            out.currency = ("EUR", "a guess: nothing in the database says it; write USD, GBP or what it is")
            out.doubts.append("the currency (EUR) is a guess")
        }
        if let language = option("WPLANG")?.prefix(2), ["de", "fr", "nb", "ja"].contains(language) {
            out.language = String(language)
            out.languageRemark = "as WordPress has it"
        }
        out.findings.append(("for sale", grouped(count(products))))
        out.parts[.categories] = .init(
            remarks: ["Categories: the terms of product_cat. What is uncategorized is in none."],
            sql: categories)
        out.parts[.productCategories] = .init(sql: productCategories)
        out.findings.append(("categories", "\(grouped(count(categories))) terms of product_cat"))
        let labels = survey.texts("SELECT DISTINCT facet FROM (\(facets)) ORDER BY 1") ?? []
        if !labels.isEmpty {
            out.parts[.facets] = .init(
                remarks: ["To browse by: attributes that the shop has for all products, and tags."],
                sql: facets)
            out.facetLabels = labels.filter(\.isPrintable).map { ($0, $0, plural($0)) }
            out.findings.append(("to browse by", labels.joined(separator: ", ")))
        }
        if count(pictures) > 0 {
            out.parts[.pictures] = .init(
                remarks: [
                    "Pictures: the product's, then its gallery. Copy the files of wp-content/uploads to content/pictures, with their folders."
                ], sql: pictures)
            out.findings.append(("pictures", "files of wp-content/uploads, to be put into content/pictures"))
        }
        if let reviews, count(reviews) > 0 {
            out.parts[.reviews] = .init(
                remarks: ["Reviews: comments on products that were approved, without answers."], sql: reviews)
            out.findings.append(("reviews", grouped(count(reviews))))
        }
        return out
    }
}
