import API
package import Files
import Model
package import NIOCore
package import Social
import Store

/// One sender's way from a reservation to an acknowledged upload: photos come in, then the upload is accepted. What the
/// sender does not finish is abandoned: at once by ``abandon()``, or soon after the session goes in any other way.
///
/// There is one session at a time for one idempotency key.
package struct UploadSession: ~Copyable {
    /// The record as it was when the session began.
    package let record: UploadRecord
    /// The photos that this session has received, in their order.
    package private(set) var photos: [UploadRecord.Photo] = []
    private let receiver: UploadReceiver
    /// Room for what comes, until the record counts it.
    private let room: QuotaHold
    private let failed: UploadRecord?
    /// Whether the upload is to stay as it is when the session goes.
    private var isKept: Bool

    init(
        _ receiver: UploadReceiver, _ record: UploadRecord, replacing failed: UploadRecord? = nil,
        isKept: Bool = false
    ) {
        self.receiver = receiver
        room = receiver.quotas.hold(for: record.owner)
        self.record = record
        self.failed = failed
        self.isKept = isKept
    }

    deinit {
        if !isKept { receiver.store.abandonLater(record.id) }
    }

    /// What the request asked for, as far as it has come: what its idempotency key is bound to.
    ///
    /// - Parameters:
    ///   - text: The post's text.
    ///   - mentions: Whom parts of it stand for.
    package func fingerprint(text: String, mentions: [MentionSpan.Claim] = []) -> RequestFingerprint {
        RequestFingerprint(
            user: record.owner, text: text, mentions: mentions, isDraft: record.state == .draft,
            audiences: record.audiences,
            photos: photos.map { .init($0) })
    }

    // MARK: Photos

    /// Refuses bytes that are about to come if there is no room for so many, before any is read.
    ///
    /// - Throws: `Failure` `quota_exceeded`.
    package func expect(_ byteCount: Int) async throws { try await room.expect(byteCount) }

    /// Receives a photo whose bytes come in pieces; `next` gives one, and nil at the end. Durable when it returns.
    ///
    /// A photo of a draft is rendered as well: one that cannot be decoded is refused here, while its sender is still
    /// looking, and the draft stays as it was.
    ///
    /// - Parameter alt: The alternative text.
    /// - Throws: `Failure`: `too_many_photos`, `too_large_bytes`, `quota_exceeded`, `empty`, `bad_text`, the refusal of what is no
    ///   photo; what `next` throws.
    package mutating func receive(
        named name: String, alt: String = "", _ next: () async throws -> ByteBuffer?
    ) async throws {
        let alt = try PostText.requireAlt(alt)
        if record.state == .draft { return try await addToDraft(named: name, alt: alt, next) }
        try receiver.store.checkPhotoCount(photos.count)
        var photo = try await receiver.ingester.receive(
            as: photos.count, named: name, of: record, holding: room, next)
        photo.alt = alt
        photos.append(photo)
    }

    private mutating func addToDraft(
        named name: String, alt: String, _ next: () async throws -> ByteBuffer?
    ) async throws {
        let number = try await receiver.store.drafts.nextPhotoNumber(of: record.id)
        var photo = try await receiver.ingester.receive(as: number, named: name, of: record, holding: room, next)
        photo.alt = alt
        do {
            photo = try await receiver.renditions.render(photo, number: number, of: record, priority: .interactive)
            try await receiver.store.drafts.add(photo, as: number, to: record.id)
        } catch {
            try await receiver.renditions.blobs.remove(record.blobName(photo.fileName))
            // Where the draft has ended meanwhile, its files go, and with them those of this photo.
            try await receiver.store.cleanUp(record.id)
            throw error
        }
        photos.append(photo)
    }

    /// Takes a copy of a photo that lies in a folder; see ``PhotoIngester/copy(_:as:named:of:holding:)``.
    package mutating func copy(_ reader: FileReader, named name: String, alt: String = "") async throws {
        var photo = try await receiver.ingester.copy(
            reader, as: photos.count, named: name, of: record, holding: room)
        photo.alt = alt
        photos.append(photo)
    }

    // MARK: The end

    /// Acknowledges the upload with the photos that came: the rest happens by itself. Durable when it returns.
    ///
    /// - Throws: `Failure`: `empty_post`, `bad_text`, `bad_mention`, `wrong_state` when the reservation expired meanwhile,
    ///   `key_reused` when another upload took the key over.
    package consuming func accept(text: String, mentions: [MentionSpan.Claim] = []) async throws -> UploadRecord {
        do {
            let accepted = try await receiver.store.accept(
                record.id, photos: photos, text: text, mentions: mentions, replacing: failed)
            isKept = true
            return accepted
        } catch {
            if !isKept { await abandon() }
            throw error
        }
    }

    /// Leaves the draft for its sender to go on with, and binds its idempotency key to what was sent.
    ///
    /// - Throws: `Failure` `wrong_state` when the draft was published or expired meanwhile.
    package consuming func keepDraft(
        text: String, mentions: [MentionSpan.Claim] = []
    ) async throws -> UploadRecord {
        if record.clientReference != nil {
            try await receiver.store.drafts.note(fingerprint(text: text, mentions: mentions), of: record.id)
        }
        let draft = try await receiver.store.drafts.record(of: record.id)
        isKept = true
        return draft
    }

    /// Gives the reservation or the draft back, unless it is to stay. A fault that is in the way is met again by the
    /// janitor, soon.
    package consuming func abandon() async {
        guard !isKept else { return }
        isKept = true
        do {
            try await receiver.store.expire(record.id, from: record.state)
        } catch {
            // One that has ended meanwhile is cleaned up once more: files may have come since.
            let hasEnded = (error as? Failure)?.code == .wrongState
            if hasEnded || Failure(error).isTransient { receiver.store.abandonLater(record.id) }
        }
    }
}
