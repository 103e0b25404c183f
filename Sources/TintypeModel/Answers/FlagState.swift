/// The state of a person's flag on a post or a comment, after a request.
public struct FlagState: Decodable, Hashable, Sendable {
    /// The id of the post.
    public var postID: Post.ID
    /// The id of the comment; nil if the post is meant.
    public var commentID: Comment.ID?
    /// The id of the person.
    public var personID: Person.ID
    /// Whether the person flags it.
    public var isFlagged: Bool

    /// Creates a state.
    public init(postID: Post.ID, commentID: Comment.ID? = nil, personID: Person.ID, isFlagged: Bool) {
        (self.postID, self.commentID, self.personID, self.isFlagged) = (postID, commentID, personID, isFlagged)
    }

    /// Decodes a state.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        postID = try fields.required(Post.idName)
        commentID = fields.optional(Comment.idName)
        personID = try fields.required(Person.idName)
        isFlagged = try fields.required("flagged")
    }
}
