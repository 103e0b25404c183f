import API
import Concurrency
package import Model

/// The factory of the sessions in which uploads are received.
package final class UploadReceiver: Sendable {
    struct Key: Hashable, Sendable {
        let owner: UserID
        let reference: String
    }

    package let store: UploadStore
    package let ingester: PhotoIngester
    let renditions: RenditionMaker
    let quotas: UserQuotas
    private let keys = KeyedLock<Key>()
    /// The longest time that a request waits for an earlier one with its idempotency key.
    private static let maxWaitForKey = Duration.seconds(120)

    package init(store: UploadStore, ingester: PhotoIngester, renditions: RenditionMaker, quotas: UserQuotas) {
        self.quotas = quotas
        self.store = store
        self.ingester = ingester
        self.renditions = renditions
    }

    /// The start of a request: a session that receives it, or the upload of an earlier request with the same
    /// idempotency key.
    package enum Start: ~Copyable {
        case new(UploadSession)
        case known(KnownUpload)
    }

    /// Reserves an upload and passes its session to `body`. Requests of one user with one idempotency key wait for each
    /// other until `body` returns.
    ///
    /// - Throws: `Failure`: `bad_text`, `bad_reference`, `unknown_user`, or a failure of the engine; errors of `body`.
    package func begin<Value>(
        _ request: UploadRequest, _ body: (consuming Start) async throws -> Value
    ) async throws -> Value {
        renditions.scheduler.expectUpload()
        guard let reference = request.clientReference else { return try await body(try await start(request)) }
        let key = Key(owner: request.owner, reference: reference)
        do {
            return try await keys.withLease(key, within: Self.maxWaitForKey) {
                try await body(try await start(request))
            }
        } catch is LeaseTimeout {
            throw Failure(
                .unavailable, "an earlier request with the same idempotency key is in progress", hint: "Send it again.",
                retryAfter: 5)
        }
    }

    private func start(_ request: UploadRequest) async throws -> Start {
        switch try await store.reserve(request) {
        case .new(let record): .new(UploadSession(self, record))
        case .known(let record): .known(KnownUpload(self, request, record))
        }
    }

    /// Opens a session that adds photos to a draft. The draft stays when the session ends.
    ///
    /// - Throws: `Failure`: `not_found`, `wrong_state` if the upload is no longer a draft.
    package func resumeDraft(_ id: PostID) async throws -> UploadSession {
        renditions.scheduler.expectUpload()
        return UploadSession(self, try await store.drafts.record(of: id), isKept: true)
    }

    /// Opens a session for a reservation whose files the intake can find again. The reservation stays when the session
    /// ends.
    package func resume(_ record: UploadRecord) -> UploadSession {
        renditions.scheduler.expectUpload()
        return UploadSession(self, record, isKept: true)
    }
}

/// The upload of an earlier request with the same idempotency key.
package struct KnownUpload: ~Copyable {
    package let record: UploadRecord
    private let receiver: UploadReceiver
    private let request: UploadRequest

    fileprivate init(_ receiver: UploadReceiver, _ request: UploadRequest, _ record: UploadRecord) {
        self.receiver = receiver
        self.request = request
        self.record = record
    }

    /// Opens a session that receives the request again after the known upload failed. Once it is accepted, the key
    /// refers to the new upload.
    package consuming func beginAgain() async throws -> UploadSession {
        let again = try await receiver.store.reserve(request, replacing: record)
        return UploadSession(receiver, again, replacing: record)
    }
}
