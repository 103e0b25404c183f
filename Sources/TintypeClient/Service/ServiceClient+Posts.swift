public import TintypeModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Posts. Pages have 20 elements without a limit, and 200 at most.
extension ServiceClient {
    /// Returns a page of all posts, the last published first.
    ///
    /// - Parameters:
    ///   - cursor: The `next` of the page before, or the position of a post; nil for the first page.
    ///   - limit: The largest number of elements; nil for 20.
    public func posts(before cursor: Cursor? = nil, limit: Int? = nil) async throws -> Answer<Page<Post>> {
        try await page(["v1", "posts"], before: cursor, limit: limit)
    }

    /// Returns one post, with its ETag.
    public func post(_ id: Post.ID) async throws -> Answer<Post> {
        try await answer(to: ServiceRequest("GET", ["v1", "posts", id.rawValue]))
    }

    /// Returns a page of a person's posts, the last published first.
    ///
    /// - Parameters:
    ///   - person: The id of the person.
    ///   - hashes: The SHA-256 of photos, in hexadecimal digits: the page has the post of exactly these photos, or
    ///     none. Empty for all posts.
    ///   - cursor: The `next` of the page before; nil for the first page.
    ///   - limit: The largest number of elements; nil for 20.
    public func posts(
        by person: Person.ID, withPhotos hashes: [String] = [], before cursor: Cursor? = nil, limit: Int? = nil
    ) async throws -> Answer<Page<Post>> {
        let query = hashes.isEmpty ? [] : [ServiceRequest.QueryField("sha256", hashes.joined(separator: " "))]
        return try await page(
            ["v1", "people", person.rawValue, "posts"], before: cursor, limit: limit, query: query)
    }

    /// Returns a page of the posts with a hashtag, the last published first.
    ///
    /// - Parameters:
    ///   - tag: The hashtag without its mark, in any case.
    ///   - cursor: The `next` of the page before; nil for the first page.
    ///   - limit: The largest number of elements; nil for 20.
    public func posts(
        taggedWith tag: String, before cursor: Cursor? = nil, limit: Int? = nil
    ) async throws -> Answer<Page<Post>> {
        try await page(["v1", "hashtags", tag, "posts"], before: cursor, limit: limit)
    }

    /// Returns a page of hashtags, in their order.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of the hashtags; nil for all.
    ///   - cursor: The `next` of the page before; nil for the first page.
    ///   - limit: The largest number of elements; nil for 20.
    public func hashtags(
        startingWith prefix: String? = nil, after cursor: Cursor? = nil, limit: Int? = nil
    ) async throws -> Answer<Page<Hashtag>> {
        let query = prefix.map { [ServiceRequest.QueryField("search", $0)] } ?? []
        return try await page(["v1", "hashtags"], after: cursor, limit: limit, query: query)
    }

    /// Returns a page of the home feed of a person: their own posts, and those of the people whom they follow.
    public func homeFeed(
        of person: Person.ID, before cursor: Cursor? = nil, limit: Int? = nil
    ) async throws -> Answer<Page<Post>> {
        try await page(["v1", "people", person.rawValue, "feed"], before: cursor, limit: limit)
    }

    /// Returns a page of the posts of all audiences of a person, the last added first.
    public func stories(
        of person: Person.ID, before cursor: Cursor? = nil, limit: Int? = nil
    ) async throws -> Answer<Page<Post>> {
        try await page(["v1", "people", person.rawValue, "stories"], before: cursor, limit: limit)
    }

    /// Changes the words of a post, or the order of its photos.
    ///
    /// - Parameters:
    ///   - post: The id of the post.
    ///   - edit: The changes.
    ///   - etag: The ETag of the post as it is known; if the post has changed since, it is refused with 412. With nil
    ///     the last change wins.
    ///   - idempotencyKey: A key of 1 to 200 printable ASCII characters; the same request again has no further
    ///     effect.
    public func editPost(
        _ post: Post.ID, _ edit: PostEdit, ifMatch etag: String? = nil, idempotencyKey: String? = nil
    ) async throws -> Answer<Post> {
        try await answer(
            "PATCH", ["v1", "posts", post.rawValue], edit.fields(), idempotencyKey: idempotencyKey, etag: etag)
    }

    /// Deletes a post.
    public func deletePost(_ post: Post.ID, idempotencyKey: String? = nil) async throws -> Answer<PostDeletion> {
        try await answer(
            to: ServiceRequest("DELETE", ["v1", "posts", post.rawValue], idempotencyKey: idempotencyKey))
    }

    /// Returns signed addresses of the originals of a post, which are valid for one to two hours.
    ///
    /// - Parameters:
    ///   - post: The id of the post.
    ///   - keepsLocation: Whether the files have the place where they were taken.
    public func originals(
        of post: Post.ID, keepsLocation: Bool = false
    ) async throws -> Answer<[MediaAddress]> {
        var request = ServiceRequest("GET", ["v1", "posts", post.rawValue, "originals"])
        if keepsLocation { request.setQuery("location", "keep") }
        return try await answer(to: request, as: [String: JSONValue].self).map { fields in
            fields["urls"]?.array?.compactMap { $0.string.map { MediaAddress($0) } } ?? []
        }
    }
}

/// A change of a post. Fields that are nil stay as they are.
public struct PostEdit: Hashable, Sendable {
    /// A photo, at its new place.
    public struct Photo: Hashable, Sendable {
        /// The photo's `number`, or its index if it has none.
        public var number: Int
        /// The new description; nil to keep it, empty to remove it.
        public var alternativeText: String?

        /// Creates a photo.
        public init(number: Int, alternativeText: String? = nil) {
            (self.number, self.alternativeText) = (number, alternativeText)
        }
    }

    /// The new text; empty to remove it.
    public var text: String?
    /// The new mentions; empty to remove them. With nil those stay that are in an unchanged part of the text.
    public var mentions: [Mention]?
    /// All photos, in their new order.
    public var photos: [Photo]?
    /// The time of the change, by the clock of the device.
    public var clientTime: Date?

    /// Creates a change.
    public init(
        text: String? = nil, mentions: [Mention]? = nil, photos: [Photo]? = nil, clientTime: Date? = nil
    ) {
        (self.text, self.mentions, self.photos, self.clientTime) = (text, mentions, photos, clientTime)
    }

    func fields() throws -> [String: JSONValue?] {
        let photos = photos.map { photos in
            JSONValue.array(
                photos.map { photo in
                    var fields: [String: JSONValue] = ["number": .integer(Int64(photo.number))]
                    fields["alt"] = photo.alternativeText.map(JSONValue.string)
                    return .object(fields)
                })
        }
        return [
            "text": text.map(JSONValue.string), "mentions": JSONValue(mentions: mentions), "photos": photos,
            "client_timestamp": try JSONValue(clientTime: clientTime),
        ]
    }
}
