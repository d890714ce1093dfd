/// The tables that are read where a site maps none.
public enum DefaultSchema {
    /// Makes the tables in an empty database: docs/schema.sql, which `schema.sql` beside this file is a link to.
    public static let sql = String(decoding: PackageResources.schema_sql, as: UTF8.self)
}
