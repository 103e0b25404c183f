/// The answer of the service to an upload, or to the publication of a draft.
public enum UploadOutcome: Decodable, Hashable, Sendable {
    /// The post is published.
    case published(Post)
    /// The photos are safe, or the draft is; the upload's state says what comes next.
    case accepted(Upload)

    /// Decodes an answer.
    ///
    /// - Throws: `DecodingError` for what is neither a post nor an upload.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        guard let id = fields.optional(Post.idName, as: Post.ID.self) else {
            self = .accepted(try Upload(from: decoder))
            return
        }
        self = .published(try Post(node: try fields.required("post"), key: id.rawValue))
    }
}
