package import API
package import Model
package import Social
import Tree
package import TreeModel

/// The pipeline's record of an upload, at `uploads/{id}` of the pipeline's own tree, which no client can reach.
package struct UploadRecord: Sendable {
    /// An original in the blob store with its renditions, once they are rendered.
    package struct Photo: Sendable, Hashable {
        /// The blob's file name.
        package var fileName: String
        /// The sender's name of the photo: data, never a path.
        package let originalName: String
        /// The size of the photo as it was sent, in bytes.
        package let byteCount: Int
        /// The SHA-256 of the photo as it was sent, 64 hexadecimal digits.
        package let sha256: String
        package var rendered: PhotoRecord?
        /// The records of its renditions' files by their names: of those that are shown, and of others that still
        /// exist.
        package var files: [String: RenditionFile] = [:]
        /// The alternative text, the sender's description of the photo; empty for none.
        package var alt = ""
        /// The SHA-256 of the blob if that differs from the sent file, because the place was removed
        /// (``OriginalScrub``).
        package var storedSHA256: String?
        /// The size of the blob, in bytes, if that differs from the sent file; nil if it was not recorded.
        package var storedByteCount: Int?
        /// The record that the original was encoded again, or need not be.
        package var reencoding: Reencoding?
        /// The time at which a rule dropped the original; nil if it exists.
        package var droppedAt: Timestamp?
        /// Whether moderation decided that the photo is shown blurred. The original is then available only to its owner
        /// and to admins.
        package var isBlurred = false
        /// The photo's position among the others, if the publisher of the draft chose one; otherwise its number is
        /// used.
        var position: Int?

        /// The SHA-256 of the blob.
        package var fileSHA256: String { storedSHA256 ?? sha256 }

        /// The size of the blob, in bytes, if it is known, otherwise that of the sent file.
        package var fileByteCount: Int { storedByteCount ?? byteCount }

        /// The photo as it appears in the post; nil while it is not rendered.
        var published: PhotoRecord? {
            var record = rendered
            record?.alt = alt
            return record
        }
    }

    package let id: PostID
    package let owner: UserID
    /// The purpose of the upload.
    package let purpose: UploadPurpose
    package let intake: Intake
    /// The audiences of the post, in the order of their ids; empty for everybody.
    package internal(set) var audiences: [AudienceID]
    /// The claims about the owner in the token with which the upload began: a name for a user who has none here yet.
    package let claims: OwnerClaims?
    package var state: UploadState
    package private(set) var text: String
    /// The mentions in the text.
    package internal(set) var mentions: [MentionSpan] = []
    /// The photos by their numbers, which follow their arrival; a draft may have gaps.
    package var photos: [Int: Photo] = [:]
    /// The client's name for the upload, with which a request can be repeated (`Idempotency-Key`).
    package let clientReference: String?
    /// The fingerprint of the request with that name (``RequestFingerprint``); nil without a name, while the request is
    /// in progress, and in records of earlier versions.
    package var fingerprint: RequestFingerprint?
    /// The draft that the photo belongs to; nil for other purposes.
    package var draftPosition: DraftPosition?
    /// The path of an inbox upload's file, relative to its user's folder in the inbox.
    package let source: String?
    /// The treatment of photos that the user has posted before; nil for the intake's own policy. In a post that shows
    /// such photos, it indicates that the index has an earlier post (``PhotoIndex``).
    package var duplicates: DuplicatePolicy?
    /// The time at which the upload was begun.
    package let createdAt: Timestamp
    /// The time of the last change.
    package var updatedAt: Timestamp
    /// The number of attempts to render and commit that ended in a transient error.
    package var attempts: Int = 0
    /// The last fault; final if the state is failed.
    package var error: Failure?
    /// Whether its owner has been deleted since it was begun, so that it is not published.
    package var isOwnerGone = false
    /// The earlier post with the same bytes, if the state is duplicate.
    package var duplicateOf: PostID?
    /// The last moderation decision, before publication or after; nil without moderation.
    package var moderation: Moderation?
    /// The client time of the post, not later than its receipt; nil if it is not known.
    package internal(set) var clientTimestamp: Timestamp?

    /// Sets the text and the mentions of the post. Whether the mentioned people exist is checked when the upload is
    /// acknowledged.
    ///
    /// - Throws: `Failure` `bad_text` or `bad_mention`.
    mutating func say(_ text: String, mentioning claims: [MentionSpan.Claim]) throws(Failure) {
        let checked = try PostText.requireText(text)
        mentions = try MentionSpan.checked(claims, of: text, storedAs: checked)
        self.text = checked
    }

    /// The numbers of the photos in the order in which they are shown: that of their arrival, or the chosen one.
    package var photoNumbers: [Int] {
        photos.sorted { ($0.value.position ?? $0.key, $0.key) < ($1.value.position ?? $1.key, $1.key) }.map(\.key)
    }

    /// The name by which the sender knows the upload, for the log: its path in the inbox, or the names of its photos.
    var sentNames: String {
        (source ?? orderedPhotos.map(\.originalName).joined(separator: ", ")).printable
    }

    /// The photos in the order in which they are shown.
    package var orderedPhotos: [Photo] { photoNumbers.compactMap { photos[$0] } }
}

extension UploadRecord {
    package init(
        id: PostID, owner: UserID, intake: Intake, state: UploadState, text: String, clientReference: String?,
        source: String?, createdAt: Timestamp, duplicates: DuplicatePolicy? = nil, claims: OwnerClaims? = nil,
        audiences: [AudienceID] = [], purpose: UploadPurpose = .post
    ) {
        self.init(
            id: id, owner: owner, purpose: purpose, intake: intake, audiences: audiences.sorted(), claims: claims,
            state: state, text: text, clientReference: clientReference, source: source, duplicates: duplicates,
            createdAt: createdAt, updatedAt: createdAt)
    }
}
