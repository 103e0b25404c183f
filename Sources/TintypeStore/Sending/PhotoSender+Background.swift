import TintypeClient
import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PhotoSender {
    /// Gives the photos of a post to the system, all at once if the service allows it, and waits for it. What the system
    /// does not send is left.
    func send(
        _ post: KeptPost, _ queued: QueuedWrite, _ draft: Upload.ID, _ state: inout UploadProgress,
        by uploader: any BackgroundUploader
    ) async throws {
        let patience = Patience()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while !patience.isOver {
                    try await refreshed()
                    patience.refresh()
                }
                for photo in post.photos { await uploader.end(uploadNamed: photo.name) }
            }
            defer { group.cancelAll() }
            while true {
                let doneCount = state.given.count + state.finished.count
                try await give(post, queued, draft, &state, to: uploader)
                for photo in post.photos where state.given.contains(photo.name) && !state.finished.contains(photo.name)
                {
                    let answer = try await answer(of: uploader, photo, post, queued, state, patience)
                    if answer?.isDraft(draft) == true { try await finish(photo, of: post, &state, queued) }
                    await uploader.end(uploadNamed: photo.name)
                }
                // Otherwise there are more than the service allows at a time.
                if state.given.count == post.photos.count || patience.isOver { return }
                if doneCount == state.given.count + state.finished.count { return }
            }
        }
    }

    private func give(
        _ post: KeptPost, _ queued: QueuedWrite, _ draft: Upload.ID, _ state: inout UploadProgress,
        to uploader: any BackgroundUploader
    ) async throws {
        for photo in post.photos where !state.given.contains(photo.name) && !state.finished.contains(photo.name) {
            do { _ = try await begin(photo, of: post, draft, &state, queued) } catch let problem as Problem
                where problem.code == .tooManyUploads
            { return }
            let request = try await client.photoRequest(
                folder.file(photo), byteCount: photo.count, of: draft, name: photo.name,
                alternativeText: photo.alternativeText, idempotencyKey: state.key(queued.key, photo))
            try await uploader.begin(request, named: photo.name)
            state.given.insert(photo.name)
            try await store(state, post)
        }
    }

    /// Waits for the answer to an upload; nil without one.
    private func answer(
        of uploader: any BackgroundUploader, _ photo: KeptPhoto, _ post: KeptPost, _ queued: QueuedWrite,
        _ state: UploadProgress, _ patience: Patience
    ) async throws -> TransportResponse? {
        do {
            return try await uploader.answer(toUploadNamed: photo.name) {
                patience.noteProgress()
                report($0, of: photo, post, state, queued)
            }
        } catch {
            try Task.checkCancellation()
            return nil
        }
    }
}

/// The patience of a person with the system's uploads: it is over with the second refresh between which no byte was sent.
private final class Patience: Sendable {
    private let state = Guarded((refreshCount: 0, isOver: false))

    var isOver: Bool { state.withLock(\.isOver) }

    func noteProgress() { state.withLock { $0.refreshCount = 0 } }

    func refresh() {
        state.withLock { state in
            state.refreshCount += 1
            if state.refreshCount == 2 { state.isOver = true }
        }
    }
}

extension TransportResponse {
    /// Whether it is the answer to a photo that was added to a draft.
    fileprivate func isDraft(_ id: Upload.ID) -> Bool {
        guard status == 201, let upload = try? JSONDecoder().decode(Upload.self, from: body) else { return false }
        return upload.id == id
    }
}
