package import API
package import Model
package import Social
import Tree
package import TreeModel

/// The pipeline's record of an upload, at `uploads/{id}` of the pipeline's own tree, which no client can reach.
package struct UploadRecord: Sendable {
    /// An original in the blob store and, once they are made, its renditions.
    package struct Photo: Sendable, Hashable {
        /// The blob's file name.
        package var fileName: String
        /// The sender's name for it: data, never a path.
        package let originalName: String
        /// The size of what was sent.
        package let byteCount: Int
        /// The SHA-256 of what was sent, 64 hexadecimal digits.
        package let sha256: String
        package var rendered: PhotoRecord?
        /// What is known of the files of its renditions, by their names: of those that are shown, and of others that are still
        /// there.
        package var files: [String: RenditionFile] = [:]
        /// The alternative text: the sender's words for what the photo shows; empty without any.
        package var alt = ""
        /// The SHA-256 of the blob where that is another file than what was sent: without its place (``OriginalScrub``).
        package var storedSHA256: String?
        /// The size of the blob, in bytes, where that is another file than what was sent; nil where nobody noted it.
        package var storedByteCount: Int?
        /// That the original was encoded again, or need not be.
        package var reencoding: Reencoding?
        /// When a rule dropped the original; nil while it is there.
        package var droppedAt: Timestamp?
        /// Whether moderation decided that it is shown blurred. The original is for its owner and admins alone then.
        package var isBlurred = false
        /// Its place among the others, where whoever published the draft chose one; else its number is that.
        var position: Int?

        /// The SHA-256 of the blob.
        package var fileSHA256: String { storedSHA256 ?? sha256 }

        /// The size of the blob, in bytes, as far as it is known.
        package var fileByteCount: Int { storedByteCount ?? byteCount }

        /// The photo as it stands in the post; nil while it is not rendered.
        var published: PhotoRecord? {
            var record = rendered
            record?.alt = alt
            return record
        }
    }

    package let id: PostID
    package let owner: UserID
    /// What it is to become.
    package let purpose: UploadPurpose
    package let intake: Intake
    /// For whom the post is to be, in the order of the ids; nobody in particular, that is everybody, when there are none.
    package internal(set) var audiences: [AudienceID]
    /// What a token claimed of the owner when the upload began: a name for somebody who has none here yet.
    package let claims: OwnerClaims?
    package var state: UploadState
    package private(set) var text: String
    /// Whom parts of the text stand for.
    package internal(set) var mentions: [MentionSpan] = []
    /// Photos by the number under which they came; a draft may have gaps.
    package var photos: [Int: Photo] = [:]
    /// The name that the client gave the upload so that it can ask again (`Idempotency-Key`).
    package let clientReference: String?
    /// What was sent with that name (``RequestFingerprint``); nil without a name, while it is being sent, and in what earlier
    /// versions wrote.
    package var fingerprint: RequestFingerprint?
    /// Of which draft it is to be a photo, when that is its purpose.
    package var draftPosition: DraftPosition?
    /// The path of an inbox upload's file, relative to its user's folder in the inbox.
    package let source: String?
    /// The treatment of photos that the user has posted before; nil for the intake's own policy. Of a post that shows such photos it
    /// says so: the index has an earlier post (``PhotoIndex``).
    package var duplicates: DuplicatePolicy?
    /// When it was begun.
    package let createdAt: Timestamp
    /// When it was changed for the last time.
    package var updatedAt: Timestamp
    /// How many tries to render and commit ended in a transient error.
    package var attempts: Int = 0
    /// The last fault; final when the state is failed.
    package var error: Failure?
    /// Whether its owner has been deleted since it began: it becomes nothing.
    package var isOwnerGone = false
    /// The post that had the same bytes before, when the state is duplicate.
    package var duplicateOf: PostID?
    /// What was decided about it last, before it was published or after; nil when nobody was asked.
    package var moderation: Moderation?

    /// Takes in what the post says, and whom it mentions; whether these people exist, is checked when it is acknowledged.
    ///
    /// - Throws: `Failure` `bad_text` or `bad_mention`.
    mutating func say(_ text: String, mentioning claims: [MentionSpan.Claim]) throws(Failure) {
        let checked = try PostText.requireText(text)
        mentions = try MentionSpan.checked(claims, of: text, storedAs: checked)
        self.text = checked
    }

    /// The numbers of the photos, in the order in which they are shown: that in which they came, or were put.
    package var photoNumbers: [Int] {
        photos.sorted { ($0.value.position ?? $0.key, $0.key) < ($1.value.position ?? $1.key, $1.key) }.map(\.key)
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
