/// The decision of moderation about a post, or about one of its photos.
package enum ModerationDecision: String, Codable, CaseIterable, Sendable {
    /// It is shown as it is.
    case pass
    /// It is shown blurred.
    case blur
    /// It is not shown at all, and neither is the post.
    case refuse
}

/// The decision of a moderator, or of an admin, about a post.
package struct ModerationVerdict: Document, Hashable {
    /// The longest reason that is kept, in characters.
    package static let maxReasonCharacters = 500

    package let decision: ModerationDecision
    /// The reason, for people.
    package let reason: String?
    /// The decisions about single photos that differ, by their numbers in the post, from 0.
    package let photos: [String: ModerationDecision]?

    package init(_ decision: ModerationDecision, reason: String? = nil, photos: [String: ModerationDecision]? = nil) {
        self.decision = decision
        self.reason = reason
        self.photos = photos
    }

    /// Returns the decision about each photo of a post; nil if this names a photo that does not exist.
    package func decisions(photoCount: Int) -> [ModerationDecision]? {
        let photos = photos ?? [:]
        let decisions = (0..<photoCount).map { photos[String($0)] ?? decision }
        return photos.keys.allSatisfy { key in (0..<photoCount).contains { String($0) == key } } ? decisions : nil
    }
}

/// The data that a moderator receives about a post before it is published.
package struct ModerationRequest: Document {
    package struct Photo: Document {
        package let index: Int
        /// The content type of the rendition to look at, and its size in pixels.
        package let type: String
        package let width: Int
        package let height: Int
        package var alt: String?
        /// The path of the file; for a moderator that is a program.
        package var path: String?
        /// The file's bytes in Base64; for a moderator at an address.
        package var data: String?

        package init(index: Int, type: String, width: Int, height: Int) {
            self.index = index
            self.type = type
            self.width = width
            self.height = height
        }
    }

    /// The kind of content: `post`, or `avatar` for a person's picture.
    package let kind: String
    package let post: String
    package let uid: String
    package let text: String
    package let photos: [Photo]

    package init(kind: String, post: String, uid: String, text: String, photos: [Photo]) {
        self.kind = kind
        self.post = post
        self.uid = uid
        self.text = text
        self.photos = photos
    }
}

/// The state of a post after an admin's decision.
package struct ModerationDocument: Document {
    package let postID: String
    package let decision: ModerationDecision
    package let reason: String?
    /// The decision about each photo, in the photos' order: `pass` or `blur`; empty for a post that was refused.
    package let photos: [ModerationDecision]
    package let deleted: Bool

    private enum CodingKeys: String, CodingKey {
        case postID = "post_id"
        case decision, reason, photos, deleted
    }

    package init(
        postID: String, decision: ModerationDecision, reason: String?, photos: [ModerationDecision], deleted: Bool
    ) {
        self.postID = postID
        self.decision = decision
        self.reason = reason
        self.photos = photos
        self.deleted = deleted
    }
}
