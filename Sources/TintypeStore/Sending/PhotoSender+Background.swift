import TintypeClient
import TintypeModel

extension PhotoSender {
    /// Gives the photos of a post to the system, all at once if the service allows it, and waits for it. What the system
    /// does not send is left.
    func send(
        _ post: KeptPost, _ queued: QueuedWrite, _ draft: Upload.ID, _ state: inout UploadProgress,
        by uploader: any BackgroundUploader
    ) async throws {
        while true {
            let givenCount = state.given.count
            try await give(post, queued, draft, &state, to: uploader)
            for photo in post.photos where state.given.contains(photo.name) && !state.finished.contains(photo.name) {
                let answer = try await answer(of: uploader, photo, post, queued, state)
                if answer?.status == 201 { try await finish(photo, of: post, &state, queued) }
                await uploader.end(uploadNamed: photo.name)
            }
            // There are more than the service allows at a time.
            guard givenCount < state.given.count, state.given.count < post.photos.count else { return }
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

    /// Waits for the answer to an upload; nil without one, or if the person does not want to wait for the system.
    private func answer(
        of uploader: any BackgroundUploader, _ photo: KeptPhoto, _ post: KeptPost, _ queued: QueuedWrite,
        _ state: UploadProgress
    ) async throws -> TransportResponse? {
        try await withThrowingTaskGroup(of: TransportResponse?.self) { group in
            group.addTask {
                do {
                    return try await uploader.answer(toUploadNamed: photo.name) {
                        report($0, of: photo, post, state, queued)
                    }
                } catch is TransportError { return nil }
            }
            group.addTask {
                try await refreshed()
                for photo in post.photos { await uploader.end(uploadNamed: photo.name) }
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
