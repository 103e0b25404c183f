import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Post {
    /// Changes whether the reader likes the post, and the number of likes with it.
    mutating func setLiked(_ isLiked: Bool) {
        guard (self.isLiked ?? false) != isLiked else { return }
        self.isLiked = isLiked
        guard let counts else { return }
        self.counts?.likes = max(0, counts.likes + (isLiked ? 1 : -1))
    }

    /// Decodes a post from a document.
    init(document: JSONValue) throws {
        self = try JSONDecoder().decode(Post.self, from: JSONEncoder().encode(document))
    }
}

extension Comment {
    /// Decodes a comment from a document.
    init(document: JSONValue) throws {
        self = try JSONDecoder().decode(Comment.self, from: JSONEncoder().encode(document))
    }
}

extension JSONValue {
    /// Creates the JSON of a value.
    ///
    /// - Throws: `EncodingError`.
    init(encoding value: some Encodable) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
    }
}
