import TintypeClient
import TintypeModel

/// Sends the writes of a person, in their order, until its task is cancelled or the person must sign in.
///
/// A write that the service refuses waits for the person and stops no other one. A write whose attempt has failed, and
/// those that depend on it or must follow it, rest for a while. Without a network, all rest.
struct Sender: Sendable {
    /// The first wait after a failed attempt; each further one is twice as long.
    private static let firstWait: Duration = .seconds(1)
    private static let longestWait: Duration = .seconds(60)
    /// The number of writes that are looked at for one that can be sent.
    private static let lookahead = 200

    let store: LocalStore
    let account: Person.ID
    let sender: WriteSender

    /// Sends the writes of one lane.
    ///
    /// - Throws: `RecordStoreError`, or `CancellationError`.
    func run(_ lane: Write.Lane) async throws {
        try await withThrowingDiscardingTaskGroup { rests in
            let subscription = store.hub.listen()
            var signals = subscription.signals.makeAsyncIterator()
            var pauses = 0
            var next = try await self.next(lane)
            while !Task.isCancelled {
                guard let resolved = next else {
                    guard await signals.next(isolation: #isolation) != nil else { throw CancellationError() }
                    if subscription.changes().contains(.outbox) { next = try await self.next(lane) }
                    continue
                }
                let attempt = try await attempt(resolved)
                _ = store.sending.setProgress(nil, of: resolved.queued.number)
                switch attempt {
                case .signIn:
                    try await store.pause(Self.longestWait)
                    next = try await self.next(lane)
                    continue
                case .pause(let wait):
                    pauses += 1
                    try await store.pause(wait ?? Self.wait(pauses))
                    next = try await self.next(lane)
                    continue
                case .rest(let wait):
                    let number = resolved.queued.number
                    store.sending.rest(number)
                    let wait = wait ?? Self.wait(resolved.queued.failureCount + 1)
                    rests.addTask {
                        try await store.clock.sleep(for: wait)
                        store.sending.endRest(number)
                        store.hub.report([.outbox])
                    }
                case .done, .refused, .conflict: pauses = 0
                }
                next = try await finish(resolved, attempt, lane)
            }
            throw CancellationError()
        }
    }

    private func attempt(_ resolved: WriteSender.Resolved) async throws -> Attempt {
        do { return try await sender.send(resolved) } catch {
            try Task.checkCancellation()
            if error is RecordStoreError { throw error }
            return try Attempt(error, failureCount: resolved.queued.failureCount)
        }
    }

    private static func wait(_ failures: Int) -> Duration {
        let longest = min(longestWait, firstWait * (1 << min(failures - 1, 10)))
        // Jitter, so that many devices do not come back in the same moment.
        return longest * Double.random(in: 0.5...1)
    }

    // MARK: The outbox

    /// Returns the next write that can be sent, which from now on may have reached the service; nil for none.
    private func next(_ lane: Write.Lane) async throws -> WriteSender.Resolved? {
        let resting = store.sending.resting
        return try await store.change(account, .appEnd) { changes in
            try Self.next(lane, resting, changes)
        }
    }

    /// Stores the result of an attempt, and returns the next write that can be sent.
    private func finish(
        _ resolved: WriteSender.Resolved, _ attempt: Attempt, _ lane: Write.Lane
    ) async throws -> WriteSender.Resolved? {
        let resting = store.sending.resting
        return try await store.change(account, .appEnd) { changes in
            if var queued = try changes.records.write(resolved.queued.number), queued.isQueued {
                switch attempt {
                case .done(let id, let result, let number):
                    try changes.finish(queued, id: id, result: result, at: number)
                case .refused(let problem):
                    queued.state = .refused(QueuedWrite.Refusal(problem))
                    try changes.update(queued)
                case .conflict(let theirs):
                    queued.state = .conflict(theirs)
                    try changes.update(queued)
                case .rest:
                    queued.failureCount += 1
                    try changes.update(queued)
                case .pause, .signIn: break
                }
            }
            return try Self.next(lane, resting, changes)
        }
    }

    private static func next(
        _ lane: Write.Lane, _ resting: Set<Int64>, _ changes: AccountChanges
    ) throws -> WriteSender.Resolved? {
        /// The subjects of writes that must precede others.
        var waiting: [Subject] = []
        var last: Int64 = 0
        // Mostly the first write can be sent, so that others are read only if it cannot.
        for limit in [1, 9, lookahead - 10] {
            let numbers = try changes.records.queue(lane, after: last, limit: limit)
            for number in numbers {
                guard var queued = try changes.records.write(number) else { continue }
                let subjects = queued.write.subjects
                let mustWait = waiting.contains { earlier in subjects.contains { $0.overlaps(earlier) } }
                guard !mustWait, !resting.contains(number), let resolved = try resolve(queued, changes) else {
                    waiting += subjects
                    continue
                }
                if !queued.isAttempted {
                    queued.isAttempted = true
                    try changes.update(queued)
                }
                return WriteSender.Resolved(queued: queued, post: resolved.post, comment: resolved.comment)
            }
            guard let end = numbers.last, numbers.count == limit else { return nil }
            last = end
        }
        return nil
    }

    /// Returns the ids of the service for a write; nil if it must wait for them. A write on what was withdrawn is removed.
    private static func resolve(
        _ queued: QueuedWrite, _ changes: AccountChanges
    ) throws -> (post: Post.ID?, comment: Comment.ID?)? {
        let post = try queued.write.neededPost.map { try changes.records.real($0) }
        let comment = try queued.write.neededComment.map { try changes.records.real($0) }
        if let post, post.isLocal {
            if try !changes.records.isMade(.post(post)) { try changes.remove(queued) }
            return nil
        }
        if let comment, comment.isLocal {
            guard let id = queued.write.neededPost else { return nil }
            if try !changes.records.isMade(.comment(comment, on: id)) { try changes.remove(queued) }
            return nil
        }
        return (post, comment)
    }
}

extension AccountRecords {
    /// Whether a write of the outbox makes a subject.
    fileprivate func isMade(_ subject: Subject) throws -> Bool {
        try writes(on: subject).contains { queued in
            switch queued.write {
            case .post(let post): .post(post.id) == subject
            case .comment(let comment): .comment(comment.id, on: comment.post) == subject
            default: false
            }
        }
    }
}

extension Subject {
    /// Whether writes on two subjects must keep their order: the same ones, or nodes of the tree one above the other.
    fileprivate func overlaps(_ other: Subject) -> Bool {
        if self == other { return true }
        guard let own = nodePath, let path = other.nodePath else { return false }
        return own.isEmpty || path.isEmpty || "\(own)/".hasPrefix("\(path)/") || "\(path)/".hasPrefix("\(own)/")
    }
}
