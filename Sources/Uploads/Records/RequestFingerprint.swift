package import API
import Cryptography
import Files
package import Model
package import Social
package import TreeModel

/// A fingerprint of a request: two requests for the same upload have the same one.
///
/// An idempotency key is bound to the fingerprint. It covers the user, the text as it is posted with its mentions,
/// whether it is a draft, the audiences of the post, and the bytes and alternative texts of the photos in their order.
/// It covers neither the names of the photos nor the encoding of the body.
package struct RequestFingerprint: Sendable, Hashable {
    /// The SHA-256, 64 hexadecimal digits.
    let hex: String

    init(hex: String) {
        self.hex = hex
    }

    /// The part of a photo that the fingerprint covers.
    package struct Photo: Sendable {
        fileprivate let words: String

        /// - Parameter sha256: The SHA-256 of the photo's bytes, 64 hexadecimal digits.
        package init(sha256 hash: String, alt: String) {
            words = alt.isEmpty ? hash : "\(hash):\(sha256(of: Array(alt.utf8)))"
        }

        package init(_ photo: UploadRecord.Photo) {
            self.init(sha256: photo.sha256, alt: photo.alt)
        }
    }

    /// - Parameter photos: The photos in their order, with alternative texts as they are posted.
    package init(
        user: UserID, text: String, mentions: [MentionSpan.Claim] = [], isDraft: Bool, audiences: [AudienceID] = [],
        photos: [Photo]
    ) {
        // The text is last because only it may contain line breaks. Without mentions and audiences the digest is the
        // same as in versions that had neither.
        let kind = ([isDraft ? "draft" : "post"] + audiences.sorted().map(\.description)).joined(separator: " ")
        var parts = [user.description, kind, photos.map(\.words).joined(separator: " ")]
        if !mentions.isEmpty { parts.append(Self.words(of: mentions, in: text)) }
        let text = PostText.checked(text) ?? text
        hex = sha256(of: Array((parts + [text]).joined(separator: "\n").utf8))
    }

    /// Creates the fingerprint of the request from which an upload was created, if it was a single request.
    package init(of record: UploadRecord) {
        self.init(
            user: record.owner, text: record.text,
            mentions: record.mentions.map { .init(uid: $0.uid.description, start: $0.start, length: $0.length) },
            isDraft: false, audiences: record.audiences, photos: record.orderedPhotos.map { Photo($0) })
    }

    /// Returns the mentions in the order of the text, with positions in the text that is posted.
    private static func words(of mentions: [MentionSpan.Claim], in text: String) -> String {
        let dropped = text.prefix(while: \.isWhitespace).utf16.count
        return mentions.sorted { $0.start < $1.start }.map { mention in
            // A mention of nobody is refused before it could be posted.
            let uid = UserID(mention.uid)?.description ?? ""
            return "\(uid):\(mention.start.subtractingReportingOverflow(dropped).partialValue):\(mention.length)"
        }.joined(separator: " ")
    }
}

extension Failure {
    /// Creates the failure of a request whose key belongs to another request.
    package static func keyReused(_ id: PostID) -> Failure {
        Failure(
            .keyReused, "this idempotency key belongs to another request, which became upload \(id)",
            hint: "Send it with a key of its own: that one is kept, and this one was not stored.")
    }
}

extension RequestFingerprint: FieldValue {
    package init?(_ value: TreeValue) {
        guard let hex = value.stringValue else { return nil }
        self.init(hex: hex)
    }

    package var value: TreeValue { .string(hex) }
}
