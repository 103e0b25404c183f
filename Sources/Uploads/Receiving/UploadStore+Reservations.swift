package import API
package import Model
package import Social
import Tree
package import TreeModel

/// A request for an upload: the information that an intake has before the first byte.
package struct UploadRequest: Sendable {
    package var owner: UserID
    package var intake: Intake
    /// The purpose of the upload.
    package var purpose = UploadPurpose.post
    package var text = ""
    /// The mentions in the text.
    package var mentions: [MentionSpan.Claim] = []
    /// Whether photos are added one by one and published later.
    package var isDraft = false
    /// The client's own name for the upload (`Idempotency-Key`), 1 to 200 printable ASCII characters: a repeated
    /// request with it finds the same upload.
    package var clientReference: String?
    /// The treatment of photos that the user has posted before; nil for the intake's own policy.
    package var duplicates: DuplicatePolicy?
    /// The path of an inbox upload's file, relative to the user's folder.
    package var source: String?
    /// The claims about the owner in a token.
    package var claims: OwnerClaims?
    /// The photo, if it arrives in several requests. The upload is then `receiving`, and its text is part of this
    /// request.
    package var file: ResumableFileRequest?
    /// The draft that the photo belongs to; nil for other purposes.
    var draftPosition: DraftPosition?
    /// The audiences of the post; empty for everybody.
    package var audiences: [AudienceID] = []
    /// The time at which the post was made by the clock of the author's device; nil if it is not known.
    package var clientTimestamp: Timestamp?

    package init(owner: UserID, intake: Intake) {
        self.owner = owner
        self.intake = intake
    }
}

extension UploadStore {
    /// Reserves the id of the future post. Durable on return.
    ///
    /// - Throws: `Failure`: `bad_text`, `bad_mention`, `bad_reference`, `unknown_user`, `wrong_state` while the owner
    ///   is being deleted, `not_member` or `not_allowed` if the user may not post for an audience, or a failure of the
    ///   engine; for an avatar, `not_found` if its user does not exist.
    package func reserve(_ request: UploadRequest) async throws -> Reservation {
        try await metrics.take(.reserve) { () -> Reservation in
            while true {
                try await checkOwner(of: request)
                let record = try newRecord(request, clientReference: request.clientReference)
                var update = try Self.insertion(of: record, receiving: request.file)
                guard let reference = request.clientReference else {
                    guard try await tree.commit(update, at: "new-\(record.state)") else {
                        throw Failure.isBeingDeleted(request.owner)
                    }
                    // (The photos of an upload with a reference may arrive at any later time.)
                    if intakes[record.intake].keepsOrder { queue.expect(record.id, of: record.owner) }
                    return .new(record)
                }
                let path = UploadNodes.reference(request.owner, try ClientReference.key(reference))
                update[path] = .string(record.id.description)
                update.preconditions.append(.absent(path))
                if try await tree.commit(update, at: "new-\(record.state)") { return .new(record) }
                guard try await tree.get(PersonDeletion.task(of: request.owner)) == nil else {
                    throw Failure.isBeingDeleted(request.owner)
                }
                if let known = try await known(path) { return known }
            }
        }
    }

    /// Reserves an id for another attempt at a request that failed. The client's reference names the failed upload
    /// until this one is accepted.
    ///
    /// - Throws: `Failure` `bad_text`, or a failure of the engine.
    package func reserve(_ request: UploadRequest, replacing failed: UploadRecord) async throws -> UploadRecord {
        var request = request
        request.isDraft = false
        return try await metrics.take(.reserve) { [request] in
            try await checkOwner(of: request)
            let record = try newRecord(request, clientReference: failed.clientReference)
            let update = try Self.insertion(of: record, receiving: request.file)
            guard try await tree.commit(update, at: "new-\(record.state)") else {
                throw Failure.isBeingDeleted(request.owner)
            }
            return record
        }
    }

    private func newRecord(_ request: UploadRequest, clientReference: String?) throws -> UploadRecord {
        var record = UploadRecord(
            id: ids.next(), owner: request.owner, intake: request.intake,
            state: request.file != nil ? .receiving : request.isDraft ? .draft : .reserved, text: "",
            clientReference: clientReference,
            source: request.source, createdAt: now, duplicates: request.duplicates, claims: request.claims,
            audiences: request.audiences, purpose: request.purpose)
        record.draftPosition = request.draftPosition
        record.clientTimestamp = request.clientTimestamp.map { min($0, record.createdAt) }
        try record.say(request.text, mentioning: request.mentions)
        return record
    }

    /// Returns the update that creates an upload, on the condition that its owner is not being deleted.
    private static func insertion(
        of record: UploadRecord, receiving file: ResumableFileRequest?
    ) throws -> MultiPathUpdate {
        var update = MultiPathUpdate(preconditions: [.absent(PersonDeletion.task(of: record.owner))])
        update[UploadNodes.upload(record.id)] = try record.value()
        update[UploadNodes.queued(record.id)] = QueueEntry(record).value
        if let file { update.beginResumableFile(ResumableFile(file, id: record.id, at: record.createdAt)) }
        if !record.audiences.isEmpty {
            // The restriction must exist before the first byte.
            update[AudienceNodes.restrictedMedia(record.id.key) / record.owner.key] = true
        }
        return update
    }

    /// Returns the upload that a reference names; nil if it expired meanwhile, so that a new one may take its path.
    private func known(_ path: TreePath) async throws -> Reservation? {
        guard let id = try await tree.get(path)?.stringValue.flatMap({ PostID($0) }),
            let record = try await record(of: id)
        else { return nil }
        guard record.state == .reserved else { return .known(record) }
        // The change of the record keeps it from being expired, now that its sender is back.
        do {
            return .new(try await transition(id, from: .reserved, to: .reserved))
        } catch let error as Failure where error.code == .wrongState || error.code == .notFound {
            return nil
        }
    }

    /// Checks that the author exists and may post to the audiences; for an avatar, that its user exists. Audiences are
    /// checked again when the post is published; this check spares senders a useless upload.
    private func checkOwner(of request: UploadRequest) async throws {
        let (uid, createsPeople) = (request.owner, settings.value.createsPeople)
        try await tree.snapshot { snapshot in
            if request.purpose == .avatar || !createsPeople,
                try snapshot.get(PeopleNodes.person(uid) / "full_name") == nil
            {
                guard request.purpose != .avatar else { throw Failure.noPersonForAvatar(uid) }
                throw Failure(
                    .unknownUser, "the user \(uid) does not exist",
                    hint: "Create people/\(uid) first, or let first posts create people (create-people).")
            }
            try snapshot.requireConsent(of: uid, toContent: request.purpose != .avatar)
            try snapshot.requirePoster(uid, for: request.audiences)
        }
    }
}

extension PostText {
    /// Returns the text of a post, without surrounding white space.
    ///
    /// - Throws: `Failure` `bad_text`.
    package static func requireText(_ text: String) throws(Failure) -> String {
        guard let text = checked(text) else { throw bad("the text", maxCharacters: maxCharacters) }
        return text
    }

    /// Returns the alternative text of a photo, without surrounding white space.
    ///
    /// - Throws: `Failure` `bad_text`.
    package static func requireAlt(_ alt: String) throws(Failure) -> String {
        guard let alt = checked(alt, maxCharacters: maxAltCharacters) else {
            throw bad("a photo's alternative text", maxCharacters: maxAltCharacters)
        }
        return alt
    }

    private static func bad(_ subject: String, maxCharacters: Int) -> Failure {
        Failure(
            .badText, "\(subject) has more than \(maxCharacters) characters, or control characters",
            hint: "Shorten it.")
    }
}
