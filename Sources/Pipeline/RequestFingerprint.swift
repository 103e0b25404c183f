import Blobs
package import Posts

/// What a request asked for: two that ask for the same have the same one.
///
/// An idempotency key is bound to it. It covers the user, the text as it is posted, whether it is a draft, and the bytes of
/// the photos in their order; not what the photos are called, nor how the body is encoded.
package struct RequestFingerprint: Sendable, Hashable {
    /// A SHA-256, 64 hexadecimal digits.
    let hex: String

    init(hex: String) {
        self.hex = hex
    }

    /// - Parameter photos: The SHA-256 of each photo.
    package init(user: UserID, text: String, isDraft: Bool, photos: [String]) {
        // The text comes last: nothing else holds a line break.
        let parts = [user.description, isDraft ? "draft" : "post", photos.joined(separator: " ")]
        let text = PostText.checked(text) ?? text
        hex = sha256(of: Array((parts + [text]).joined(separator: "\n").utf8))
    }

    /// That of the request that an upload was made of, where it was made at once.
    package init(of record: UploadRecord) {
        self.init(
            user: record.owner, text: record.text, isDraft: false, photos: record.orderedPhotos.map(\.sha256))
    }
}

extension UploadPipeline {
    /// The refusal of a request whose key belongs to another request.
    package static func keyReused(_ id: PostID) -> PipelineError {
        PipelineError(
            .keyReused, "this idempotency key belongs to another request, which became upload \(id)",
            hint: "that one stands, and nothing of this one was kept: send it with a key of its own")
    }
}
