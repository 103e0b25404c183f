public import TintypeModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Likes, comments and flags. Pages have 20 elements without a limit, and 200 at most.
extension ServiceClient {
    /// Sets or removes a person's like of a post. A repetition changes nothing.
    public func setLike(
        _ isLiked: Bool, of post: Post.ID, by person: Person.ID, idempotencyKey: String? = nil
    ) async throws -> Answer<LikeState> {
        try await answer(
            to: ServiceRequest(
                isLiked ? "PUT" : "DELETE", ["v1", "posts", post.rawValue, "likes", person.rawValue],
                idempotencyKey: idempotencyKey))
    }

    /// Returns a page of the people who like a post, in the order of their ids.
    public func likes(
        of post: Post.ID, after cursor: Cursor? = nil, limit: Int? = nil
    ) async throws -> Answer<Page<Like>> {
        try await page(["v1", "posts", post.rawValue, "likes"], after: cursor, limit: limit)
    }

    /// Returns a page of the posts that a person likes, in the order of their ids, the greatest first.
    public func posts(
        likedBy person: Person.ID, before cursor: Cursor? = nil, limit: Int? = nil
    ) async throws -> Answer<Page<Post>> {
        try await page(["v1", "people", person.rawValue, "likes"], before: cursor, limit: limit)
    }

    /// Returns a page of the comments on a post, the oldest first.
    ///
    /// - Parameters:
    ///   - post: The id of the post.
    ///   - cursor: The `next` of the page before, or the id of a comment; nil for the first page.
    ///   - limit: The largest number of elements; nil for 20.
    public func comments(
        on post: Post.ID, after cursor: Cursor? = nil, limit: Int? = nil
    ) async throws -> Answer<Page<Comment>> {
        try await page(["v1", "posts", post.rawValue, "comments"], after: cursor, limit: limit)
    }

    /// Returns a page of the comments on a post, the newest first.
    ///
    /// - Parameters:
    ///   - post: The id of the post.
    ///   - cursor: The `next` of the page before, or the id of a comment; nil for the first page.
    ///   - limit: The largest number of elements; nil for 20.
    public func newestComments(
        on post: Post.ID, before cursor: Cursor? = nil, limit: Int? = nil
    ) async throws -> Answer<Page<Comment>> {
        try await page(
            ["v1", "posts", post.rawValue, "comments"], before: cursor, limit: limit,
            query: [ServiceRequest.QueryField("order", "newest")])
    }

    /// Returns one comment.
    public func comment(_ id: Comment.ID, on post: Post.ID) async throws -> Answer<Comment> {
        try await answer(to: ServiceRequest("GET", ["v1", "posts", post.rawValue, "comments", id.rawValue]))
    }

    /// Adds a comment of the user to a post.
    ///
    /// - Parameters:
    ///   - text: The text, of 1 to 1,999 characters.
    ///   - mentions: The mentions of people in the text.
    ///   - post: The id of the post.
    ///   - clientTime: The time of writing, by the clock of the device; nil to leave it out.
    ///   - idempotencyKey: A key of 1 to 200 printable ASCII characters; the same request again gives the same
    ///     comment.
    public func addComment(
        _ text: String, mentions: [Mention] = [], to post: Post.ID, clientTime: Date? = nil,
        idempotencyKey: String? = nil
    ) async throws -> Answer<Comment> {
        try await answer(
            "POST", ["v1", "posts", post.rawValue, "comments"], try Self.comment(text, mentions, clientTime),
            idempotencyKey: idempotencyKey)
    }

    /// Replaces the text and the mentions of a comment.
    ///
    /// - Parameters:
    ///   - comment: The id of the comment.
    ///   - post: The id of the post.
    ///   - text: The text, of 1 to 1,999 characters.
    ///   - mentions: The mentions of people in the text.
    ///   - clientTime: The time of the change, by the clock of the device; nil to leave it out.
    ///   - idempotencyKey: A key of 1 to 200 printable ASCII characters; the same request again has no further
    ///     effect.
    public func editComment(
        _ comment: Comment.ID, on post: Post.ID, to text: String, mentions: [Mention] = [], clientTime: Date? = nil,
        idempotencyKey: String? = nil
    ) async throws -> Answer<Comment> {
        try await answer(
            "PATCH", ["v1", "posts", post.rawValue, "comments", comment.rawValue],
            try Self.comment(text, mentions, clientTime), idempotencyKey: idempotencyKey)
    }

    /// Deletes a comment.
    public func deleteComment(
        _ comment: Comment.ID, on post: Post.ID, idempotencyKey: String? = nil
    ) async throws -> Answer<Void> {
        try await confirmation(
            of: ServiceRequest(
                "DELETE", ["v1", "posts", post.rawValue, "comments", comment.rawValue],
                idempotencyKey: idempotencyKey))
    }

    /// Flags a post for the admins, or takes the flag back. A repetition changes nothing.
    public func setFlag(
        _ isFlagged: Bool, of post: Post.ID, by person: Person.ID
    ) async throws -> Answer<FlagState> {
        try await answer(
            to: ServiceRequest(
                isFlagged ? "PUT" : "DELETE", ["v1", "posts", post.rawValue, "flags", person.rawValue]))
    }

    /// Flags a comment for the admins, or takes the flag back. A repetition changes nothing.
    public func setFlag(
        _ isFlagged: Bool, of comment: Comment.ID, on post: Post.ID, by person: Person.ID
    ) async throws -> Answer<FlagState> {
        let path = ["v1", "posts", post.rawValue, "comments", comment.rawValue, "flags", person.rawValue]
        return try await answer(to: ServiceRequest(isFlagged ? "PUT" : "DELETE", path))
    }

    private static func comment(
        _ text: String, _ mentions: [Mention], _ clientTime: Date?
    ) throws -> [String: JSONValue?] {
        [
            "text": .string(text), "mentions": JSONValue(mentions: mentions.isEmpty ? nil : mentions),
            "client_timestamp": try JSONValue(clientTime: clientTime),
        ]
    }
}
