import TintypeClient
import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sends one write to the service.
struct WriteSender: Sendable {
    let client: ServiceClient
    let account: Person.ID
    let photos: PhotoSender

    /// A write with the ids of the service in place of those of the device.
    struct Resolved: Sendable {
        let queued: QueuedWrite
        /// Whether it cannot have reached the service before.
        let isFirst: Bool
        /// The post of the write; nil for a write without one.
        let post: Post.ID?
        /// The comment of the write; nil for a write without one.
        let comment: Comment.ID?
        /// The entities and lists that it changes or needs, by the ids that do not change.
        let subjects: [Subject]
    }

    /// Sends a write.
    ///
    /// - Throws: `Problem`, `TransportError`, `SessionError`, `DecodingError` or `CancellationError`.
    func send(_ resolved: Resolved) async throws -> Attempt {
        let (queued, key) = (resolved.queued, resolved.queued.key)
        switch queued.write {
        case .post(let post):
            do { return try await photos.send(post, queued) } catch let problem as Problem
                where problem.code == .deleted
            {
                return .undone
            }
        case .editPost(let change):
            return try await edit(resolved.post ?? change.id, change, queued)
        case .deletePost(let id):
            return try await removal {
                try await Self.done(client.deletePost(resolved.post ?? id, idempotencyKey: key))
            }
        case .like(let id, let isLiked):
            let post = resolved.post ?? id
            do {
                return try Self.done(await client.setLike(isLiked, of: post, by: account, idempotencyKey: key))
            } catch let problem as Problem where !isLiked && problem.code == .notFound {
                return .done(id: nil, result: nil, number: nil)
            }
        case .follow(let person, let isFollowed):
            return try Self.done(await client.setFollowing(isFollowed, of: person, by: account, idempotencyKey: key))
        case .block(let person, let isBlocked):
            return try Self.done(await client.setBlocking(isBlocked, of: person, by: account, idempotencyKey: key))
        case .comment(let comment):
            let answer = try await client.addComment(
                comment.text, mentions: comment.mentions, to: resolved.post ?? comment.post, clientTime: queued.date,
                idempotencyKey: key)
            return .done(
                id: answer.value.id.rawValue, result: try JSONValue(encoding: answer.value), number: answer.changeNumber
            )
        case .editComment(let change):
            return try await edit(resolved.comment ?? change.id, on: resolved.post ?? change.post, change, queued)
        case .deleteComment(let id, let post):
            return try await removal {
                try await Self.done(
                    client.deleteComment(resolved.comment ?? id, on: resolved.post ?? post, idempotencyKey: key))
            }
        case .readNotifications(let last):
            let selection = last.map { NotificationSelection.upTo($0) } ?? .all
            return try Self.done(await client.markAsRead(selection, of: account, idempotencyKey: key))
        case .profile(let name, let bio):
            let answer = try await client.changeProfile(
                of: account, ProfileChange(name: name, bio: bio), idempotencyKey: key)
            return .done(id: nil, result: nil, number: answer.changeNumber)
        case .tree(let write): return try await send(write, queued)
        }
    }

    /// Returns the result of a write that has no entity.
    ///
    /// - Throws: `TransportError` if the answer is not the service's, which has a change number: networks that want a
    ///   sign-in answer any request with their page, as if all were well.
    static func done(_ answer: Answer<some Sendable>) throws -> Attempt {
        guard let number = answer.changeNumber else {
            throw TransportError(.malformed, "the answer has no Tintype-Token")
        }
        return .done(id: nil, result: nil, number: number)
    }

    /// Removes what may be gone already.
    private func removal(_ remove: () async throws -> Attempt) async throws -> Attempt {
        do { return try await remove() } catch let problem as Problem
            where [.notFound, .deleted].contains(problem.code)
        {
            return .done(id: nil, result: nil, number: nil)
        }
    }

    /// Changes the words of a post, unless somebody else has changed them since.
    private func edit(_ id: Post.ID, _ change: PostChange, _ queued: QueuedWrite) async throws -> Attempt {
        // The version of a post also changes with its renditions and its author's name: another attempt compares words.
        for _ in 0..<5 {
            let present = try await client.post(id)
            let words = PostWords(of: present.value)
            if words == change.words { return try done(present) }
            guard words == change.base else { return .conflict(try JSONValue(encoding: present.value)) }
            do {
                return try done(
                    await client.editPost(
                        id, PostEdit(change, at: queued.date), ifMatch: present.etag, idempotencyKey: queued.key))
            } catch let problem as Problem where problem.status == 412 {}
        }
        return .rest(nil)
    }

    private func done(_ answer: Answer<Post>) throws -> Attempt {
        .done(id: nil, result: try JSONValue(encoding: answer.value), number: answer.changeNumber)
    }

    /// Changes the text of a comment, unless somebody else has changed it since.
    private func edit(
        _ id: Comment.ID, on post: Post.ID, _ change: CommentChange, _ queued: QueuedWrite
    ) async throws -> Attempt {
        let present = try await client.comment(id, on: post)
        if present.value.text == change.text {
            return .done(id: nil, result: try JSONValue(encoding: present.value), number: present.changeNumber)
        }
        guard present.value.text == change.base else { return .conflict(try JSONValue(encoding: present.value)) }
        let answer = try await client.editComment(
            id, on: post, to: change.text, mentions: change.mentions, clientTime: queued.date,
            idempotencyKey: queued.key)
        return .done(id: nil, result: try JSONValue(encoding: answer.value), number: answer.changeNumber)
    }
}

extension PostEdit {
    fileprivate init(_ change: PostChange, at date: Date) {
        self.init(
            text: change.words.text ?? "", mentions: change.words.mentions,
            photos: change.words.photos.isEmpty || change.words.photos == change.base.photos
                ? nil
                : change.words.photos.map { Photo(number: $0.number, alternativeText: $0.alternativeText ?? "") },
            clientTime: date)
    }
}
