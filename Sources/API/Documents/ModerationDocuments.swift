/// What becomes of a post, or of one of its photos, when it was looked at.
package enum ModerationDecision: String, Codable, CaseIterable, Sendable {
    /// It is shown as it is.
    case pass
    /// It is shown blurred.
    case blur
    /// It is not shown at all, and neither is the post.
    case refuse
}

/// What a moderator, or an admin, says of a post.
package struct ModerationVerdict: Document, Hashable {
    /// The longest reason that is kept, in characters.
    package static let maxReasonCharacters = 500

    package let decision: ModerationDecision
    /// Why, for people.
    package let reason: String?
    /// What becomes of single photos instead, by their numbers in the post, from 0.
    package let photos: [String: ModerationDecision]?

    package init(_ decision: ModerationDecision, reason: String? = nil, photos: [String: ModerationDecision]? = nil) {
        self.decision = decision
        self.reason = reason
        self.photos = photos
    }

    /// What becomes of each photo of a post; nil when the verdict names a photo that is not there.
    package func decisions(photoCount: Int) -> [ModerationDecision]? {
        let photos = photos ?? [:]
        let decisions = (0..<photoCount).map { photos[String($0)] ?? decision }
        return photos.keys.allSatisfy { key in (0..<photoCount).contains { String($0) == key } } ? decisions : nil
    }
}

/// What a moderator is told of a post before it is published.
package struct ModerationRequest: Document {
    package struct Photo: Document {
        package let index: Int
        /// The content type of the rendition that is to be looked at, and its size in pixels.
        package let type: String
        package let width: Int
        package let height: Int
        package var alt: String?
        /// Where the file is; for a program.
        package var path: String?
        /// The file's bytes in Base64; for an address.
        package var data: String?

        package init(index: Int, type: String, width: Int, height: Int) {
            self.index = index
            self.type = type
            self.width = width
            self.height = height
        }
    }

    /// What is to be published: `post`, or `avatar` for somebody's picture.
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

/// How a post stands after an admin has decided about it.
package struct ModerationDocument: Document {
    package let postID: String
    package let decision: ModerationDecision
    package let reason: String?
    /// What is shown of each photo, in their order: `pass` or `blur`; of a post that was refused there are none any more.
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
