import TintypeClient
import TintypeModel

/// Sends the writes of a person, in their order, until its task is cancelled. It waits while the person must sign in.
///
/// A write that the service refuses waits for the person and stops no other one. A write whose attempt has failed, and
/// those that depend on it or must follow it, rest for a while. Without a network, all rest.
struct Sender: Sendable {
    /// The number of writes that are looked at for those that can be sent.
    private static let lookahead = 200

    let store: LocalStore
    let account: Person.ID
    let sender: WriteSender

    /// Sends the writes of one lane.
    ///
    /// - Throws: `RecordStoreError`, `CancellationError`, or `SessionError.signedOut` if the person's data were removed.
    func run(_ lane: Write.Lane) async throws {
        let subscription = store.hub.listen(to: .outbox)
        try await withThrowingTaskGroup(of: Event.self) { group in
            var isListening = false
            var pauses = 0
            while true {
                try Task.checkCancellation()
                let batch = try await next(lane)
                if batch.isEmpty {
                    if !isListening {
                        group.addTask {
                            try await subscription.change()
                            return .change
                        }
                    }
                    isListening = try await group.next() != .change
                    continue
                }
                let end = try await send(batch)
                for rest in end.rests {
                    store.sending.rest(rest.number)
                    group.addTask {
                        defer { store.sending.endRest(rest.number) }
                        try await store.clock.sleep(for: rest.wait)
                        return .endOfRest
                    }
                }
                if end.hasProgress || !end.isPaused { pauses = 0 }
                guard end.isPaused else { continue }
                pauses += 1
                try await store.pause(end.pause ?? Backoff.wait(afterFailures: pauses))
            }
        }
    }

    /// The reason why a wait ends.
    private enum Event { case change, endOfRest }

    // MARK: A batch

    /// The end of the attempts to send some writes.
    private struct BatchEnd {
        /// The writes that must rest, each with its wait.
        var rests: [(number: Int64, wait: Duration)] = []
        /// Whether no write can be sent now; the rest of the batch was not tried.
        var isPaused = false
        /// The wait that was named, if it is paused.
        var pause: Duration?
        /// Whether the service has carried out or refused one of them.
        var hasProgress = false
    }

    /// Sends writes one after the other, and stores the results meanwhile: each as soon as the disk has stored those before.
    private func send(_ batch: [WriteSender.Resolved]) async throws -> BatchEnd {
        let results = ResultQueue()
        return try await withThrowingTaskGroup(of: BatchEnd?.self) { group in
            group.addTask {
                while let some = await results.next() { try await keep(some) }
                return nil
            }
            group.addTask {
                defer { results.finish() }
                return try await send(batch, results)
            }
            var end = BatchEnd()
            while let result = try await group.next() { end = result ?? end }
            return end
        }
    }

    private func send(_ batch: [WriteSender.Resolved], _ results: ResultQueue) async throws -> BatchEnd {
        var end = BatchEnd()
        /// The subjects of the writes that must precede others.
        var waiting: [Subject] = []
        for write in batch {
            let mustWait = waiting.contains { earlier in write.subjects.contains { $0.overlaps(earlier) } }
            guard !end.isPaused, !mustWait else {
                waiting += write.subjects
                results.add(write, nil)
                continue
            }
            let number = write.queued.number
            let attempt = try await attempt(write)
            switch attempt {
            case .signIn: (end.isPaused, end.pause) = (true, Backoff.longest)
            case .pause(let wait): (end.isPaused, end.pause) = (true, wait)
            case .rest(let wait): end.rests.append((number, wait ?? write.backoff))
            case .foreign: end.rests.append((number, write.backoff))
            case .done, .undone, .refused, .conflict: end.hasProgress = true
            }
            if end.rests.last?.number == number { waiting += write.subjects }
            if store.sending.setProgress(nil, of: number) { store.hub.report([.write(number)]) }
            results.add(write, attempt)
        }
        return end
    }

    private func attempt(_ write: WriteSender.Resolved) async throws -> Attempt {
        do { return try await sender.send(write) } catch {
            try Task.checkCancellation()
            if error is RecordStoreError { throw error }
            return try Attempt(error, foreignCount: write.queued.foreignCount)
        }
    }

    /// Stores the results of attempts.
    private func keep(_ results: [ResultQueue.Element]) async throws {
        try await store.change(account, .appEnd) { changes in
            for (write, attempt) in results { try changes.end(attempt, of: write) }
        }
    }

    // MARK: The outbox

    /// Returns the next writes that can be sent, which from now on may have reached the service.
    private func next(_ lane: Write.Lane) async throws -> [WriteSender.Resolved] {
        let resting = store.sending.resting
        return try await store.change(account, .powerCut) { try Self.next(lane, resting, $0) }
    }

    private static func next(
        _ lane: Write.Lane, _ resting: Set<Int64>, _ changes: AccountChanges
    ) throws -> [WriteSender.Resolved] {
        var batch: [WriteSender.Resolved] = []
        /// The subjects of writes that must precede others.
        var waiting: [Subject] = []
        var last: Int64 = 0
        // Mostly the first writes can be sent, so that others are read only if they cannot.
        for limit in [lane.batchCount, lookahead] {
            let numbers = try changes.records.queue(lane, after: last, limit: limit)
            for number in numbers {
                guard let queued = try changes.records.write(number) else { continue }
                let subjects = try queued.write.subjects(
                    post: changes.records.identity, comment: changes.records.identity)
                let mustWait = waiting.contains { earlier in subjects.contains { $0.overlaps(earlier) } }
                guard !mustWait, !resting.contains(number), let resolved = try resolve(queued, changes) else {
                    waiting += subjects
                    continue
                }
                batch.append(
                    WriteSender.Resolved(
                        queued: try changes.begin(queued), isFirst: !queued.isAttempted, post: resolved.post,
                        comment: resolved.comment, subjects: subjects))
                if batch.count == lane.batchCount { return batch }
            }
            guard batch.isEmpty, let end = numbers.last, numbers.count == limit else { break }
            last = end
        }
        return batch
    }

    /// Returns the ids of the service for a write; nil if it must wait for them. A write on what was withdrawn is removed.
    private static func resolve(
        _ queued: QueuedWrite, _ changes: AccountChanges
    ) throws -> (post: Post.ID?, comment: Comment.ID?)? {
        let post = try queued.write.neededPost.map { try changes.records.real($0) }
        let comment = try queued.write.neededComment.map { try changes.records.real($0) }
        if let post, post.isLocal {
            let isMade = try changes.records.writes(on: .post(post)).contains { $0.write.makes(post) }
            if try !isMade && !changes.records.hasUnreadableWrite(on: .post(post)) { try changes.remove(queued) }
            return nil
        }
        if let comment, comment.isLocal {
            guard let owner = queued.write.neededPost else { return nil }
            let isMade = try changes.records.writes(onComment: comment, of: owner).contains { $0.write.makes(comment) }
            if try !isMade && !changes.records.hasUnreadableWrite(on: .comments(on: owner)) {
                try changes.remove(queued)
            }
            return nil
        }
        return (post, comment)
    }
}

extension WriteSender.Resolved {
    /// The wait after an attempt that has failed.
    fileprivate var backoff: Duration { Backoff.wait(afterFailures: queued.failureCount + 1) }
}

extension AccountRecords {
    /// Whether a write on a subject cannot be read: a later version of the app has made it, and may send it.
    fileprivate func hasUnreadableWrite(on subject: Subject) throws -> Bool {
        let prefix = subject.key + "//"
        return try records(Table.concern, prefix: prefix).contains { record in
            let key = String(record.key.dropFirst(prefix.count))
            guard let number = Self.number(key[...]) else { return false }
            return try value(Table.write, key) != nil && write(number) == nil
        }
    }
}

extension Write {
    /// Whether it makes a post.
    fileprivate func makes(_ id: Post.ID) -> Bool { if case .post(let post) = self { post.id == id } else { false } }

    /// Whether it makes a comment.
    fileprivate func makes(_ id: Comment.ID) -> Bool {
        if case .comment(let comment) = self { comment.id == id } else { false }
    }
}
