#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The receipt of a post's deletion.
public struct PostDeletion: Decodable, Hashable, Sendable {
    /// The id of the post.
    public var postID: Post.ID
    /// The time at which its files are deleted, at the earliest.
    public var filesUntil: Date

    /// Decodes a receipt.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        postID = try fields.required(Post.idName)
        filesUntil = try fields.requiredTime("files_until")
    }
}
