/// A row of the tree that could not be read, and its replacement.
package struct ReplacedRowDocument: Document {
    /// The path in the tree.
    package let path: String
    /// The key of the row in the database, in hexadecimal digits.
    package let key: String
    /// The former bytes, in hexadecimal digits; absent if there were none.
    package let value: String?
    /// The former bytes as text, as far as they are text; absent if there were none.
    package let text: String?
    /// The JSON that has replaced the row; `null` if the row was dropped.
    package let replacement: String
    /// The time of the replacement, in milliseconds since the epoch.
    package let replacedAt: Int64
    /// The path of the file that keeps this document, relative to the Storage folder.
    package let file: String

    private enum CodingKeys: String, CodingKey {
        case path, key, value, text, replacement, file
        case replacedAt = "replaced_at"
    }

    package init(
        path: String, key: String, value: String?, text: String?, replacement: String, replacedAt: Int64, file: String
    ) {
        (self.path, self.key, self.value, self.text) = (path, key, value, text)
        (self.replacement, self.replacedAt, self.file) = (replacement, replacedAt, file)
    }
}
