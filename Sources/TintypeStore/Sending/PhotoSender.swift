import TintypeClient
import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sends posts. The system sends the photos, if it can; otherwise, and for what it leaves, they are sent in pieces. An
/// interrupted photo goes on where the service has its bytes.
struct PhotoSender: Sendable {
    /// The size of a piece, in bytes: after a cut at most one piece is sent again.
    static let pieceCount: Int64 = 1 << 20

    let client: ServiceClient
    let folder: PhotoFolder
    /// The system's way to send photos without the app; nil for none.
    let uploader: (any BackgroundUploader)?
    /// Returns the progress of a post, as it was stored last.
    let progress: @Sendable (KeptPost) async throws -> UploadProgress
    /// Stores the progress of a post.
    let store: @Sendable (UploadProgress, KeptPost) async throws -> Void
    /// Waits until the person wants an attempt at once.
    let refreshed: @Sendable () async throws -> Void
    /// Notes the number of bytes of a write that have been sent, of all its bytes.
    let report: @Sendable (_ write: Int64, _ sentCount: Int64, _ count: Int64) -> Void

    /// Sends a post.
    ///
    /// - Throws: `Problem`, `TransportError`, `SessionError`, `DecodingError` or `CancellationError`.
    func send(_ post: KeptPost, _ queued: QueuedWrite) async throws -> Attempt {
        if post.photos.isEmpty {
            let content = NewPost(
                post.text ?? "", mentions: post.mentions, audiences: post.audiences, clientTime: queued.date)
            return try attempt(await client.publish(content, idempotencyKey: queued.key))
        }
        var state = try await progress(post)
        do { return try await send(post, queued, &state) } catch let problem as Problem
            where UploadProgress.hasEnded(problem)
        {
            // The draft has expired, or its bytes were lost: it begins again, from the files that the device has.
            try await beginAgain(post, &state)
            return .rest(state.generation == 1 ? .zero : nil)
        }
    }

    private func send(_ post: KeptPost, _ queued: QueuedWrite, _ state: inout UploadProgress) async throws -> Attempt {
        if state.draft == nil {
            let content = NewPost(audiences: post.audiences, clientTime: queued.date)
            state.draft = try await client.beginDraft(content, idempotencyKey: state.key(queued.key)).value.id
            try await store(state, post)
        }
        guard let draft = state.draft else { return .rest(nil) }
        if let uploader { try await send(post, queued, draft, &state, by: uploader) }
        for photo in post.photos where !state.finished.contains(photo.name) {
            let upload = try await begin(photo, of: post, draft, &state, queued)
            do {
                try await send(photo, to: upload) { [state] in report($0, of: photo, post, state, queued) }
            } catch let problem as Problem where [413, 415, 422].contains(problem.status) {
                // The service knows the photo as one that has failed: another attempt begins again.
                try await beginAgain(post, &state)
                throw problem
            }
            try await finish(photo, of: post, &state, queued)
        }
        let publication = DraftPublication(
            text: post.text ?? "", mentions: post.mentions,
            alternativeTexts: post.photos.map { $0.alternativeText ?? "" }, clientTime: queued.date)
        return try attempt(await client.publish(draft: draft, publication))
    }

    /// Lets the next attempt begin a new draft, and send all photos again.
    private func beginAgain(_ post: KeptPost, _ state: inout UploadProgress) async throws {
        for photo in post.photos { await uploader?.end(uploadNamed: photo.name) }
        state = UploadProgress(generation: state.generation + 1)
        try await store(state, post)
    }

    // MARK: Photos

    /// Begins a photo, unless it was begun before. The photos of a post are in the order in which they are begun.
    func begin(
        _ photo: KeptPhoto, of post: KeptPost, _ draft: Upload.ID, _ state: inout UploadProgress, _ queued: QueuedWrite
    ) async throws -> Upload.ID {
        if let known = state.photos[photo.name] { return known }
        // A repeated request gets the photo that an earlier one began.
        let upload = try await client.beginPhoto(
            of: draft, byteCount: photo.count, name: photo.name, alternativeText: photo.alternativeText,
            idempotencyKey: state.key(queued.key, photo)
        ).value
        state.photos[photo.name] = upload
        try await store(state, post)
        return upload
    }

    /// Notes that the service has a photo.
    func finish(
        _ photo: KeptPhoto, of post: KeptPost, _ state: inout UploadProgress, _ queued: QueuedWrite
    ) async throws {
        state.finished.insert(photo.name)
        try await store(state, post)
        report(0, of: nil, post, state, queued)
    }

    /// Notes how many bytes of a photo have been sent, besides those of the finished ones.
    func report(
        _ sentCount: Int64, of photo: KeptPhoto?, _ post: KeptPost, _ state: UploadProgress, _ queued: QueuedWrite
    ) {
        let finished = post.photos.reduce(0) { $0 + (state.finished.contains($1.name) ? $1.count : 0) }
        report(
            queued.number, finished + min(sentCount, photo?.count ?? 0), post.photos.reduce(0) { $0 + $1.count })
    }

    // MARK: In pieces

    /// Sends the bytes of a photo that the service does not have.
    private func send(
        _ photo: KeptPhoto, to upload: Upload.ID, _ report: @escaping @Sendable (Int64) -> Void
    ) async throws {
        let present = try await client.offset(of: upload).value
        var offset = present.isComplete ? photo.count : present.byteCount
        var corrections = 0
        while offset < photo.count {
            try Task.checkCancellation()
            let start = offset
            let piece = min(Self.pieceCount, photo.count - start)
            do {
                let answer = try await client.send(
                    .file(folder.file(photo), offset: start, count: piece), at: start, to: upload,
                    progress: { sent in report(start + sent) })
                offset = max(start, answer.value.byteCount)
                corrections = 0
                if answer.value.isComplete { offset = photo.count }
            } catch let problem as Problem
                where [.wrongOffset, .takenOver].contains(problem.code) && corrections < 5
            {
                // A copy of a request that the network has delayed has arrived.
                corrections += 1
                offset = try await client.offset(of: upload).value.byteCount
            }
            report(offset)
        }
    }

    private func attempt(_ answer: Answer<UploadOutcome>) throws -> Attempt {
        switch answer.value {
        case .published(let post):
            return .done(
                id: post.id.rawValue, result: try JSONValue(encoding: post), number: answer.changeNumber)
        case .accepted(let upload):
            if let failure = upload.failure, upload.state == .failed {
                return .refused(Problem(failure.code, status: 422, message: failure.message, hint: failure.hint))
            }
            // The service renders it later: the same request gets the post then.
            return .rest(.seconds(1))
        }
    }
}

/// The progress of sending the photos of a post.
struct UploadProgress: Codable, Hashable, Sendable {
    /// The number of earlier drafts of the post, which have expired.
    var generation = 0
    /// The draft on the service.
    var draft: Upload.ID?
    /// The uploads of the photos, by the names of their files.
    var photos: [String: Upload.ID] = [:]
    /// The names of the files that were given to the system.
    var given: Set<String> = []
    /// The names of the files that have been sent.
    var finished: Set<String> = []

    /// Returns the key of the draft, which begins with that of the write.
    func key(_ write: String) -> String { generation == 0 ? write : "\(write)~\(generation)" }

    /// Returns the key of the request that begins a photo.
    func key(_ write: String, _ photo: KeptPhoto) -> String { "\(key(write))-\(photo.name)" }

    /// Whether a problem means that a draft or its photo is no longer there.
    static func hasEnded(_ problem: Problem) -> Bool {
        [.uploadExpired, .bytesLost, .notFound].contains(problem.code)
    }
}
