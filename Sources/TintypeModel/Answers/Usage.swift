/// The space that the files of a user take up.
public struct Usage: Decodable, Hashable, Sendable {
    /// A number of files, and their size.
    public struct Size: Codable, Hashable, Sendable {
        /// The number of bytes.
        public var bytes: Int64
        /// The number of files.
        public var files: Int
    }

    /// The id of the user.
    public var personID: Person.ID
    /// The number of bytes that count for the quota.
    public var usedByteCount: Int64
    /// The number of bytes that the user may store; nil without a limit.
    public var quota: Int64?
    /// The space of all files.
    public var total: Size
    /// The space by the kind of file, such as `originals` and `renditions`.
    public var sizes: [String: Size]

    /// Decodes a usage.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        personID = try fields.required("user")
        usedByteCount = try fields.required("used")
        quota = fields.integer("quota")
        total = try fields.required("total")
        fields.ignore("name", "quota_for", "quota_created", "quota_updated")
        sizes = try fields.rest().compactMapValues { value in
            guard let bytes = value["bytes"]?.integer, let files = value["files"]?.integer else { return nil }
            return Size(bytes: bytes, files: Int(clamping: files))
        }
    }
}
