package import API
package import Posts
package import Social
package import Tree

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
        /// When a rule dropped the original, in milliseconds since the epoch; nil while it is there.
        package var droppedAt: Int64?
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
    package private(set) var mentions: [MentionSpan] = []
    /// Photos by the number under which they came; a draft may have gaps.
    package var photos: [Int: Photo] = [:]
    /// The name that the client gave the upload so that it can ask again (`Idempotency-Key`).
    package let clientReference: String?
    /// What was sent with that name (``RequestFingerprint``); nil without a name, while it is being sent, and in what earlier
    /// versions wrote.
    package var fingerprint: RequestFingerprint?
    /// Of which draft it is to be a photo, when that is its purpose.
    package var place: DraftPosition?
    /// The path of an inbox upload's file, relative to its user's folder in the inbox.
    package let source: String?
    /// The treatment of photos that the user has posted before; nil for the intake's own policy. Of a post that shows such photos it
    /// says so: the index has an earlier post (``PhotoIndex``).
    package var duplicates: DuplicatePolicy?
    /// Milliseconds since the epoch.
    package let createdAt: Int64
    /// Milliseconds since the epoch.
    package var updatedAt: Int64
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

    package init(
        id: PostID, owner: UserID, intake: Intake, state: UploadState, text: String, clientReference: String?,
        source: String?, createdAt: Int64, duplicates: DuplicatePolicy? = nil, claims: OwnerClaims? = nil,
        audiences: [AudienceID] = [], purpose: UploadPurpose = .post
    ) {
        self.id = id
        self.owner = owner
        self.purpose = purpose
        self.intake = intake
        self.claims = claims
        self.audiences = audiences.sorted()
        self.state = state
        self.text = text
        self.clientReference = clientReference
        self.source = source
        self.createdAt = createdAt
        self.duplicates = duplicates
        self.updatedAt = createdAt
    }

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

// MARK: - As it is written

extension UploadRecord {
    /// The record as a value of the tree.
    package func value() throws(TreeError) -> TreeValue {
        var fields: [TreeKey: TreeValue] = [
            "state": .string(state.rawValue), "owner": .string(owner.description), "door": .string(intake.rawValue),
            "created_at": .integer(createdAt), "updated_at": .integer(updatedAt),
        ]
        if purpose != .post { fields["purpose"] = .string(purpose.rawValue) }
        if !text.isEmpty { fields["text"] = .string(text) }
        fields["mentions"] = MentionSpan.value(of: mentions)
        if let clientReference { fields["client_ref"] = .string(clientReference) }
        if let fingerprint { fields["fingerprint"] = .string(fingerprint.hex) }
        if let source { fields["source"] = .string(source) }
        if let place { fields["draft"] = place.value }
        if let claims { fields["owner_claims"] = claims.value }
        if !audiences.isEmpty { fields["audiences"] = .audiences(audiences) }
        if let duplicates { fields["duplicates"] = .string(duplicates.rawValue) }
        if let duplicateOf { fields["duplicate_of"] = .string(duplicateOf.description) }
        if isOwnerGone { fields["owner_gone"] = true }
        if let moderation { fields["moderation"] = moderation.value }
        if attempts > 0 { fields["attempts"] = .integer(Int64(attempts)) }
        if let error {
            fields["error"] = [
                "code": .string(error.code.rawValue), "message": .string(error.message), "hint": .string(error.hint),
            ]
        }
        var photoRecords: [TreeKey: TreeValue] = [:]
        for (number, photo) in photos {
            photoRecords[try TreeKey(String(number))] = try photo.value(owner: owner, post: id)
        }
        fields["photos"] = .object(photoRecords)
        return .object(fields)
    }

    /// Reads a record back; nil when it is none.
    package init?(id: PostID, value: TreeValue?) {
        guard let value, let state = value["state"]?.stringValue.flatMap(UploadState.init),
            let owner = value["owner"]?.stringValue.flatMap({ UserID($0) }),
            let intake = value["door"]?.stringValue.flatMap(Intake.init),
            let createdAt = value["created_at"]?.integerValue
        else { return nil }
        self.init(
            id: id, owner: owner, intake: intake, state: state, text: value["text"]?.stringValue ?? "",
            clientReference: value["client_ref"]?.stringValue, source: value["source"]?.stringValue,
            createdAt: createdAt, duplicates: value["duplicates"]?.stringValue.flatMap(DuplicatePolicy.init),
            claims: value["owner_claims"].flatMap(OwnerClaims.init), audiences: PostAudiences.named(by: value),
            purpose: value["purpose"]?.stringValue.flatMap(UploadPurpose.init) ?? .post)
        mentions = MentionSpan.read(value["mentions"], of: text)
        updatedAt = value["updated_at"]?.integerValue ?? createdAt
        fingerprint = value["fingerprint"]?.stringValue.map(RequestFingerprint.init(hex:))
        place = DraftPosition(value["draft"])
        isOwnerGone = value["owner_gone"] == true
        attempts = Int(value["attempts"]?.integerValue ?? 0)
        moderation = value["moderation"].flatMap(Moderation.init)
        duplicateOf = value["duplicate_of"]?.stringValue.flatMap { PostID($0) }
        if let error = value["error"], let code = error["code"]?.stringValue {
            self.error = Failure(
                ErrorCode(named: code), error["message"]?.stringValue ?? "", hint: error["hint"]?.stringValue ?? "")
        }
        for (key, photo) in value["photos"]?.object ?? [:] {
            guard let number = Int(key.description), let photo = Photo(photo) else { return nil }
            photos[number] = photo
        }
    }
}

extension UploadRecord.Photo {
    package func value(owner: UserID, post: PostID) throws(TreeError) -> TreeValue {
        var fields: [TreeKey: TreeValue] = [
            "file_name": .string(fileName), "original_name": .string(originalName),
            "bytes": .integer(Int64(byteCount)), "sha256": .string(sha256),
        ]
        if !alt.isEmpty { fields["alt"] = .string(alt) }
        if let storedSHA256 { fields["stored_sha256"] = .string(storedSHA256) }
        if let storedByteCount { fields["stored_bytes"] = .integer(Int64(storedByteCount)) }
        if let reencoding { fields["reencoded"] = .string(reencoding.text) }
        if let droppedAt { fields["dropped_at"] = .integer(droppedAt) }
        if isBlurred { fields["blurred"] = true }
        if let position { fields["position"] = .integer(Int64(position)) }
        if let rendered { fields["rendered"] = try rendered.value(owner: owner, post: post) }
        if !files.isEmpty { fields["files"] = try files.value() }
        return .object(fields)
    }

    init?(_ value: TreeValue) {
        guard let fileName = value["file_name"]?.stringValue, let byteCount = value["bytes"]?.integerValue,
            let sha256 = value["sha256"]?.stringValue
        else { return nil }
        self.init(
            fileName: fileName, originalName: value["original_name"]?.stringValue ?? fileName,
            byteCount: Int(byteCount), sha256: sha256, rendered: value["rendered"].flatMap(PhotoRecord.init),
            files: Dictionary(value["files"]), alt: value["alt"]?.stringValue ?? "",
            storedSHA256: value["stored_sha256"]?.stringValue,
            storedByteCount: (value["stored_bytes"]?.integerValue).map { Int($0) },
            reencoding: value["reencoded"]?.stringValue.flatMap(Reencoding.init),
            droppedAt: value["dropped_at"]?.integerValue,
            isBlurred: value["blurred"] == true, position: (value["position"]?.integerValue).map { Int($0) })
    }
}
