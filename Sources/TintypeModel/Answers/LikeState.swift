#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The state of a person's like of a post, after a request.
public struct LikeState: Decodable, Hashable, Sendable {
    /// The id of the post.
    public var postID: Post.ID
    /// The id of the person.
    public var personID: Person.ID
    /// Whether the person likes the post.
    public var isLiked: Bool
    /// The number of all likes of the post.
    public var likeCount: Int
    /// The time of the like; nil without one, and if the service does not know it.
    public var createdAt: Date?

    /// Creates a state.
    public init(postID: Post.ID, personID: Person.ID, isLiked: Bool, likeCount: Int) {
        (self.postID, self.personID, self.isLiked, self.likeCount) = (postID, personID, isLiked, likeCount)
    }

    /// Decodes a state.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        postID = try fields.required(Post.idName)
        personID = try fields.required(Person.idName)
        isLiked = try fields.required("liked")
        likeCount = try fields.required("likes")
        createdAt = fields.time("created")
    }
}
