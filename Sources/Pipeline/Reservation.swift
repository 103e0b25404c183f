package import Posts
import Synchronization
import Tree

/// What an intake knows about an upload before the first byte.
package struct UploadRequest: Sendable {
    package var owner: UserID
    package var intake: Intake
    package var text = ""
    /// Photos are added one by one and published later.
    package var isDraft = false
    /// The client's own name for the upload, 1 to 200 printable ASCII characters; asking again with it finds the same upload.
    package var clientReference: String?
    /// What becomes of it when its user has posted the same photos before; nil for what its intake does.
    package var duplicates: DuplicatePolicy?
    /// Where an inbox upload came from, relative to the inbox.
    package var source: String?

    package init(owner: UserID, intake: Intake) {
        self.owner = owner
        self.intake = intake
    }
}

/// A post id, taken.
package enum Reservation: Sendable {
    /// Nobody asked for it before, or nobody finished: go on and send the photos. An intake sees to it that only one sender
    /// at a time does so for one reference.
    case new(UploadRecord)
    /// The client's reference was used before; this is what became of it.
    case known(UploadRecord)
}

extension UploadPipeline {
    /// Takes the id of the post that the upload will become. Durable when it returns.
    ///
    /// - Throws: `PipelineError`: `bad_text`, `bad_reference`, `unknown_user`, or a fault of the engine.
    package func reserve(_ request: UploadRequest) async throws -> Reservation {
        let text = try Self.checked(text: request.text)
        try await checkPerson(request.owner)
        let reference = try request.clientReference.map(Self.referenceKey)
        let record = UploadRecord(
            id: ids.next(), owner: request.owner, intake: request.intake, state: request.isDraft ? .draft : .reserved,
            text: text, clientReference: request.clientReference, source: request.source,
            createdAt: WallClock.milliseconds(), duplicates: request.duplicates)
        var update = MultiPathUpdate()
        update[Paths.upload(record.id)] = try record.value()
        update[Paths.queued(record.id)] = QueueEntry(record).value
        guard let reference else {
            try await step("new-\(record.state)") { try await apply(update) }
            return .new(record)
        }
        let path = Paths.reference(request.owner, reference)
        update[path] = .string(record.id.description)
        update.preconditions.append(.absent(path))
        return try await step("new-\(record.state)", { try await apply(update) })
            ? .new(record) : known(path, else: request)
    }

    /// Takes an id for another try of a request whose first one failed; the client's reference means the failed one until
    /// this one is accepted (`accept(_:photos:text:insteadOf:)`).
    package func reserve(_ request: UploadRequest, insteadOf failed: UploadRecord) async throws -> UploadRecord {
        let record = UploadRecord(
            id: ids.next(), owner: request.owner, intake: request.intake, state: .reserved,
            text: try Self.checked(text: request.text), clientReference: failed.clientReference, source: request.source,
            createdAt: WallClock.milliseconds(), duplicates: request.duplicates)
        var update = MultiPathUpdate()
        update[Paths.upload(record.id)] = try record.value()
        update[Paths.queued(record.id)] = QueueEntry(record).value
        try await step("new-reserved") { try await apply(update) }
        return record
    }

    private func known(_ path: TreePath, else request: UploadRequest) async throws -> Reservation {
        guard let id = try await tree.get(path)?.stringValue.flatMap({ PostID($0) }),
            let record = try await record(of: id)
        else {
            // It expired between the two looks; there is room for a new one.
            return try await reserve(request)
        }
        guard record.state == .reserved else { return .known(record) }
        // Its sender is back: whoever was to expire it sees that it has changed.
        do {
            return .new(try await move(id, from: .reserved, to: .reserved))
        } catch let error as PipelineError where error.code == .wrongState || error.code == .notFound {
            return try await reserve(request)
        }
    }

    /// Gives back a reservation, or a draft, that its sender will never finish: it went away, or sent no photo.
    ///
    /// A fault that is in the way is met again by the sweeper, soon.
    package func abandon(_ id: PostID, from state: UploadState = .reserved) async throws {
        do {
            try await expire(id, from: state)
        } catch {
            let now = WallClock.milliseconds()
            if PipelineError(error).isTransient { abandoned.withLock { $0[id] = now } }
            throw error
        }
    }

    /// The text of a post, trimmed.
    ///
    /// - Throws: `PipelineError` `bad_text`.
    package static func checked(text: String) throws(PipelineError) -> String {
        guard let text = PostText.checked(text) else {
            throw badText("the text", maxCharacters: PostText.maxCharacters)
        }
        return text
    }

    /// The alternative text of a photo, trimmed.
    ///
    /// - Throws: `PipelineError` `bad_text`.
    package static func checked(alt: String) throws(PipelineError) -> String {
        guard let alt = PostText.checked(alt, maxCharacters: PostText.maxAltCharacters) else {
            throw badText("a photo's alternative text", maxCharacters: PostText.maxAltCharacters)
        }
        return alt
    }

    private static func badText(_ subject: String, maxCharacters: Int) -> PipelineError {
        PipelineError(
            .badText, "\(subject) has more than \(maxCharacters) characters, or control characters",
            hint: "shorten it")
    }

    private func checkPerson(_ uid: UserID) async throws {
        guard !settings.createsPeople, try await tree.get(Paths.person(uid) / "full_name") == nil else { return }
        throw PipelineError(
            .unknownUser, "there is no user \(uid)",
            hint: "create people/\(uid) first, or let first posts create people (create-people)")
    }

    /// A client's reference as a key of the tree: what a key cannot hold is percent-encoded.
    static func referenceKey(_ reference: String) throws -> TreeKey {
        guard (1...200).contains(reference.utf8.count), reference.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw PipelineError(
                .badReference, "an idempotency key has 1 to 200 printable ASCII characters",
                hint: "a UUID is a good one")
        }
        let forbidden = Set("%.$#[]/".utf8)
        return try TreeKey(
            reference.utf8.map { byte in
                forbidden.contains(byte)
                    ? "%" + String(byte, radix: 16, uppercase: true) : String(UnicodeScalar(byte))
            }.joined())
    }
}
