import TintypeClient
import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sends posts. Photos are sent in pieces, and an interrupted photo goes on where the service has its bytes.
struct PhotoSender: Sendable {
    /// The size of a piece, in bytes: after a cut at most one piece is sent again.
    static let pieceCount: Int64 = 1 << 20

    let client: ServiceClient
    let folder: PhotoFolder
    /// Returns the progress of a post, as it was stored last.
    let progress: @Sendable (KeptPost) async throws -> UploadProgress
    /// Stores the progress of a post.
    let store: @Sendable (UploadProgress, KeptPost) async throws -> Void
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
            try await store(UploadProgress(generation: state.generation + 1), post)
            return .rest(state.generation == 0 ? .zero : nil)
        }
    }

    private func send(_ post: KeptPost, _ queued: QueuedWrite, _ state: inout UploadProgress) async throws -> Attempt {
        let key = state.key(queued.key)
        if state.draft == nil {
            let content = NewPost(audiences: post.audiences, clientTime: queued.date)
            state.draft = try await client.beginDraft(content, idempotencyKey: key).value.id
            try await store(state, post)
        }
        guard let draft = state.draft else { return .rest(nil) }
        let all = post.photos.reduce(0) { $0 + $1.count }
        var end: Int64 = 0
        for photo in post.photos {
            let begin = end
            end += photo.count
            if !state.finished.contains(photo.name) {
                try await send(photo, of: post, draft, key: "\(key)-\(photo.name)", &state) { sent in
                    report(queued.number, begin + sent, all)
                }
            }
            report(queued.number, end, all)
        }
        let publication = DraftPublication(
            text: post.text ?? "", mentions: post.mentions,
            alternativeTexts: post.photos.map { $0.alternativeText ?? "" }, clientTime: queued.date)
        return try attempt(await client.publish(draft: draft, publication))
    }

    /// Sends the bytes of a photo that the service does not have.
    private func send(
        _ photo: KeptPhoto, of post: KeptPost, _ draft: Upload.ID, key: String, _ state: inout UploadProgress,
        _ report: @escaping @Sendable (Int64) -> Void
    ) async throws {
        var offset: Int64 = 0
        let upload: Upload.ID
        if let known = state.photos[photo.name] {
            upload = known
            let present = try await client.offset(of: upload).value
            offset = present.byteCount
            if present.isComplete { offset = photo.count }
        } else {
            upload = try await client.beginPhoto(
                of: draft, byteCount: photo.count, name: photo.name, alternativeText: photo.alternativeText,
                idempotencyKey: key
            ).value
            // A repeated request gets the photo that an earlier one began.
            state.photos[photo.name] = upload
            try await store(state, post)
            offset = try await client.offset(of: upload).value.byteCount
        }
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
        state.finished.insert(photo.name)
        try await store(state, post)
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
    /// The names of the files that have been sent.
    var finished: Set<String> = []

    /// Returns the key of the draft, which begins with that of the write.
    func key(_ write: String) -> String { generation == 0 ? write : "\(write)~\(generation)" }

    /// Whether a problem means that a draft or its photo is no longer there.
    static func hasEnded(_ problem: Problem) -> Bool {
        [.uploadExpired, .bytesLost, .notFound].contains(problem.code)
    }
}
