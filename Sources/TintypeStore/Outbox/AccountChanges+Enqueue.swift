import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AccountChanges {
    /// Adds a write of the person to the outbox, or takes back what it makes unnecessary.
    ///
    /// Only writes that cannot have reached the service are taken back or changed. Two writes of the tree are always two.
    ///
    /// - Returns: The write that has its effect: the new one, or an earlier one that was changed; nil if there is no
    ///   longer anything to send.
    func enqueue(_ write: Write, at date: Date) throws -> QueuedWrite? {
        switch write {
        case .like(let id, let isLiked):
            return try enqueueIntention(write, on: records.writes(onPost: id), at: date) { earlier in
                guard case .like(_, let value) = earlier else { return nil }
                return value == isLiked
            } isStored: {
                try records.entity(.post(records.real(id)), as: Post.self)?.value.isLiked == isLiked
            }
        case .follow(let id, let isFollowed):
            return try enqueueIntention(write, on: records.writes(on: .person(id)), at: date) { earlier in
                guard case .follow(_, let value) = earlier else { return nil }
                return value == isFollowed
            } isStored: {
                try records.entity(.person(id), as: Person.self)?.value.isFollowed == isFollowed
            }
        case .block(let id, let isBlocked):
            return try enqueueIntention(write, on: records.writes(on: .person(id)), at: date) { earlier in
                guard case .block(_, let value) = earlier else { return nil }
                return value == isBlocked
            } isStored: {
                try records.entity(.person(id), as: Person.self)?.value.isBlocked == isBlocked
            }
        case .editPost(let change): return try enqueueEdit(change, at: date)
        case .editComment(let change): return try enqueueEdit(change, at: date)
        case .deletePost(let id): return try enqueueDeletion(ofPost: id, at: date)
        case .deleteComment(let id, let post): return try enqueueDeletion(of: id, on: post, at: date)
        case .post, .comment, .readNotifications, .profile, .tree: return try add(write, at: date)
        }
    }

    /// Adds an intention that has two values: the last one counts.
    ///
    /// - Parameters:
    ///   - matches: Whether an earlier write is the same intention; nil for a write of another kind.
    ///   - isStored: Whether the service has the intended value.
    private func enqueueIntention(
        _ write: Write, on writes: [QueuedWrite], at date: Date, matches: (Write) -> Bool?,
        isStored: () throws -> Bool
    ) throws -> QueuedWrite? {
        var last: Bool?
        for earlier in writes {
            guard let isSame = matches(earlier.write) else { continue }
            switch earlier.state {
            case .queued where !earlier.isAttempted: try remove(earlier)
            case .refused, .conflict: try remove(earlier)
            case .queued, .sent: last = isSame
            }
        }
        if try last ?? isStored() { return nil }
        return try add(write, at: date)
    }

    private func enqueueEdit(_ change: PostChange, at date: Date) throws -> QueuedWrite? {
        // Only the last one is changed: others may have been tried after an earlier one.
        let last = try records.writes(onPost: change.id).last { queued in
            switch queued.write {
            case .post, .editPost: true
            default: false
            }
        }
        if var earlier = last, earlier.isUntried || earlier.isRefused {
            switch earlier.write {
            case .post(var draft):
                (draft.text, draft.mentions) = (change.words.text, change.words.mentions)
                draft.photos = change.words.photos.compactMap { words in
                    guard draft.photos.indices.contains(words.number) else { return nil }
                    var photo = draft.photos[words.number]
                    photo.alternativeText = words.alternativeText
                    return photo
                }
                earlier.write = .post(draft)
            // A refused one is not shown: the new words are based on what is.
            case .editPost where earlier.isRefused: earlier.write = .editPost(change)
            case .editPost(var first):
                first.words = change.words
                earlier.write = .editPost(first)
            default: break
            }
            earlier.queueAgain()
            try update(earlier)
            return earlier
        }
        return try add(.editPost(change), at: date)
    }

    private func enqueueEdit(_ change: CommentChange, at date: Date) throws -> QueuedWrite? {
        let last = try records.writes(onComment: change.id, of: change.post).last { queued in
            switch queued.write {
            case .comment, .editComment: true
            default: false
            }
        }
        if var earlier = last, earlier.isUntried || earlier.isRefused {
            switch earlier.write {
            case .comment(var draft):
                (draft.text, draft.mentions) = (change.text, change.mentions)
                earlier.write = .comment(draft)
            case .editComment where earlier.isRefused: earlier.write = .editComment(change)
            case .editComment(var first):
                (first.text, first.mentions) = (change.text, change.mentions)
                earlier.write = .editComment(first)
            default: break
            }
            earlier.queueAgain()
            try update(earlier)
            return earlier
        }
        return try add(.editComment(change), at: date)
    }

    /// Adds the deletion of a post. If the service cannot know the post, the post and all writes on it are withdrawn.
    private func enqueueDeletion(ofPost id: Post.ID, at date: Date) throws -> QueuedWrite? {
        let writes = try records.writes(onPost: id)
        let isUnknown = writes.contains { queued in
            if case .post = queued.write { queued.isUntried || queued.isRefused } else { false }
        }
        for queued in writes where isUnknown || queued.isUntried || !queued.isShown { try remove(queued) }
        if isUnknown {
            touch(.list(.feed))
            return nil
        }
        return try add(.deletePost(id), at: date)
    }

    private func enqueueDeletion(of id: Comment.ID, on post: Post.ID, at date: Date) throws -> QueuedWrite? {
        let writes = try records.writes(onComment: id, of: post)
        let isUnknown = writes.contains { queued in
            if case .comment = queued.write { queued.isUntried || queued.isRefused } else { false }
        }
        for queued in writes where isUnknown || queued.isUntried || !queued.isShown { try remove(queued) }
        return isUnknown ? nil : try add(.deleteComment(id, on: post), at: date)
    }
}

extension QueuedWrite {
    /// Whether it must be sent, and cannot have reached the service.
    fileprivate var isUntried: Bool { isQueued && !isAttempted }

    /// Whether the service has refused it, so that it had no effect.
    fileprivate var isRefused: Bool { if case .refused = state { true } else { false } }
}
