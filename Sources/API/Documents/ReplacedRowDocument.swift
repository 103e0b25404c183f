/// A row of the tree that could not be read, and what has taken its place.
package struct ReplacedRowDocument: Document {
    /// The place in the tree.
    package let path: String
    /// The key of the row in the database, in hexadecimal digits.
    package let key: String
    /// The bytes that were there, in hexadecimal digits; absent where none were.
    package let value: String?
    /// Those bytes as text, as far as they are; absent where they were none.
    package let text: String?
    /// The JSON that has taken its place; `null` for nothing.
    package let replacement: String
    /// The time of the replacement, in milliseconds since the epoch.
    package let replacedAt: Int64
    /// The file that keeps this document, relative to the Storage folder.
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
