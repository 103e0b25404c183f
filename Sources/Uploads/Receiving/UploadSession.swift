import API
package import Files
import Model
package import NIOCore
package import Social
import Store
package import TreeModel

/// The receipt of one upload, from the reservation to the acknowledgement: photos are received, then the upload is
/// accepted. An unfinished upload is abandoned: at once by ``abandon()``, or soon after the session ends in another
/// way.
///
/// There is one session at a time for each idempotency key.
package struct UploadSession: ~Copyable {
    /// The record at the start of the session.
    package let record: UploadRecord
    /// The photos that this session has received, in their order.
    package private(set) var photos: [UploadRecord.Photo] = []
    private let receiver: UploadReceiver
    /// The quota hold for received bytes, until the record counts them.
    private let room: QuotaHold
    private let failed: UploadRecord?
    /// Whether the upload stays as it is when the session ends.
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

    /// Returns the fingerprint of the request so far, to which its idempotency key is bound.
    ///
    /// - Parameters:
    ///   - text: The post's text.
    ///   - mentions: The mentions in the text.
    package func fingerprint(text: String, mentions: [MentionSpan.Claim] = []) -> RequestFingerprint {
        RequestFingerprint(
            user: record.owner, text: text, mentions: mentions, isDraft: record.state == .draft,
            audiences: record.audiences,
            photos: photos.map { .init($0) })
    }

    // MARK: Photos

    /// Checks that there is room for the expected bytes, before any is read.
    ///
    /// - Throws: `Failure` `quota_exceeded`.
    package func expect(_ byteCount: Int) async throws { try await room.expect(byteCount) }

    /// Receives a photo whose bytes arrive in pieces; `next` returns one, and nil at the end. Durable on return.
    ///
    /// A photo of a draft is rendered as well. If it cannot be decoded, it is refused here, while its sender still
    /// waits, and the draft stays as it was.
    ///
    /// - Parameter alt: The alternative text.
    /// - Throws: `Failure`: `too_many_photos`, `too_large_bytes`, `quota_exceeded`, `empty`, `bad_text`, the refusal of
    ///   bytes that are not a photo; errors of `next`.
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
            // If the draft has ended meanwhile, its files are deleted, including those of this photo.
            try await receiver.store.cleanUp(record.id)
            throw error
        }
        photos.append(photo)
    }

    /// Copies a photo that is in a folder; see ``PhotoIngester/copy(_:as:named:of:holding:)``.
    package mutating func copy(_ reader: FileReader, named name: String, alt: String = "") async throws {
        var photo = try await receiver.ingester.copy(
            reader, as: photos.count, named: name, of: record, holding: room)
        photo.alt = alt
        photos.append(photo)
    }

    // MARK: Ending

    /// Acknowledges the upload with the received photos; the rest happens in the background. Durable on return.
    ///
    /// - Parameter clientTime: The time at which the post was made by the clock of the author's device; nil if it is not
    ///   known.
    /// - Throws: `Failure`: `empty_post`, `bad_text`, `bad_mention`, `wrong_state` if the reservation expired
    ///   meanwhile, `key_reused` if another upload took over the key.
    package consuming func accept(
        text: String, mentions: [MentionSpan.Claim] = [], at clientTime: Timestamp? = nil
    ) async throws -> UploadRecord {
        do {
            let accepted = try await receiver.store.accept(
                record.id, photos: photos, text: text, mentions: mentions, at: clientTime, replacing: failed)
            isKept = true
            return accepted
        } catch {
            if !isKept { await abandon() }
            throw error
        }
    }

    /// Keeps the draft for its sender to continue, and binds its idempotency key to the fingerprint of the request.
    ///
    /// - Throws: `Failure` `wrong_state` if the draft was published or expired meanwhile.
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

    /// Releases the reservation or the draft, unless it should stay. If an error prevents this, the janitor tries again
    /// soon.
    package consuming func abandon() async {
        guard !isKept else { return }
        isKept = true
        do {
            try await receiver.store.expire(record.id, from: record.state)
        } catch {
            // An upload that has ended meanwhile is cleaned up once more, because files may have arrived since.
            let hasEnded = (error as? Failure)?.code == .wrongState
            if hasEnded || Failure(error).isTransient { receiver.store.abandonLater(record.id) }
        }
    }
}
