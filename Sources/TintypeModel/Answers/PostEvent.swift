/// The event that a post was published, was changed or has left a list.
public struct PostEvent: Decodable, Hashable, Sendable {
    /// The id of the post.
    public let postID: Post.ID
    /// The post; nil if it is no longer in the list.
    public let post: Post?
    /// The post's position in the list; nil if it is no longer there.
    public let position: Cursor?

    /// Decodes an event of the stream of posts, or of a home feed.
    ///
    /// - Throws: `DecodingError`, also for a post that cannot be read.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        let path: String = try fields.required("path")
        let key = path.hasPrefix("/") ? String(path.dropFirst()) : path
        guard !key.isEmpty, !key.contains("/") else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "\(path) is not the path of a post"))
        }
        postID = Post.ID(key)
        let data = try fields.required("data", as: JSONValue.self)
        post = data == .null ? nil : try Post(node: data, key: key)
        position = fields.optional("position")
    }
}
