import TintypeClient
import TintypeModel

/// Follows what open views show and synchronisation does not cover, until its task is cancelled.
struct Follower: Sendable {
    let store: LocalStore
    let account: Person.ID

    private var client: ServiceClient { store.client.sending(as: account) }

    /// Follows the views.
    ///
    /// - Throws: `RecordStoreError`, `CancellationError`, or `SessionError.signedOut` if the person's data were removed.
    func run() async throws {
        try await store.change(account, .appEnd) { try $0.forgetUnreadTrees() }
        // Those of another person.
        store.hub.report(
            Set(
                store.refusals.withLock { refusals in
                    defer { refusals = [:] }
                    return Array(refusals.keys)
                }))
        let subscription = store.hub.listen(to: .interests)
        try await withThrowingTaskGroup(of: Event.self) { group in
            var ends: [Interest: AsyncStream<Void>.Continuation] = [:]
            group.addTask { .change }
            while let event = try await group.next() {
                guard event == .change else { continue }
                group.addTask {
                    try await subscription.change()
                    return .change
                }
                let interests = store.hub.interests
                for interest in ends.keys where !interests.contains(interest) {
                    ends.removeValue(forKey: interest)?.finish()
                }
                for interest in interests where ends[interest] == nil {
                    let (end, continuation) = AsyncStream.makeStream(of: Void.self)
                    ends[interest] = continuation
                    group.addTask {
                        try await untilFirst({ for await _ in end {} }, { try await follow(interest) })
                        if case .tree(let window) = interest {
                            note(nil, of: window)
                            try await forgetUnread(window) { !store.hub.interests.contains(interest) }
                        }
                        return .end
                    }
                }
            }
        }
    }

    /// The reason why a task of the follower ends.
    private enum Event {
        /// Open views show other things than before.
        case change
        /// Something is no longer shown.
        case end
    }

    /// Follows one thing until the task is cancelled; failed attempts are repeated after growing waits.
    private func follow(_ interest: Interest) async throws {
        var failures = 0
        while true {
            // A sequence that is cancelled ends without an error.
            try Task.checkCancellation()
            do {
                switch interest {
                case .tree(let window): try await follow(window)
                case .comments(let post): try await follow(commentsOn: post)
                case .list(let list): try await follow(list)
                // Synchronisation includes it.
                case .post: return
                }
                failures = 0
            } catch {
                try Task.checkCancellation()
                if error is RecordStoreError { throw error }
                failures += 1
                let problem = error as? Problem
                // What the person may not read is not waited for.
                if case .tree(let window) = interest, let problem, !problem.isTransient {
                    note(problem, of: window)
                    try await forgetUnread(window) { true }
                }
                try await store.pause(problem?.retryAfter ?? Backoff.wait(afterFailures: failures))
            }
        }
    }

    // MARK: The tree

    /// Stores each state of a part of the tree, until it must be read again.
    ///
    /// The events of the service have no numbers. But the states of an observation include all that had happened before
    /// it began. After an answer to a write of the person, a new observation shows that the state includes the write.
    private func follow(_ window: TreeWindow) async throws {
        let number = try await store.change(account, .appEnd) { [store] in try $0.show(window, at: store.clock.now) }
        var node = client.tree
        for key in window.keys { node = node.child(key) }
        let states = window.query.map { [node] in node.observe($0) } ?? node.observe()
        try await untilFirst(
            {
                for try await state in states {
                    let isStored = try await store.change(account, .appEnd) { changes in
                        try changes.store(state.node, window, at: number)
                    }
                    note(nil, of: window)
                    if !isStored { return }
                }
            },
            {
                try await until { view in
                    for subject in window.subjects { view.depend(on: subject) }
                    return try view.records.isOutdated(window, after: number)
                }
            })
        try await until { view in
            for subject in window.subjects { view.depend(on: subject) }
            return try !view.records.isBlocked(window, after: .max)
        }
    }

    /// Notes the refusal of the service to let the person read a part of the tree; nil for none.
    private func note(_ refusal: Problem?, of window: TreeWindow) {
        let isChanged = store.refusals.withLock { refusals in
            defer { refusals[window.subject] = refusal }
            return refusals[window.subject] != refusal
        }
        if isChanged { store.hub.report([window.subject]) }
    }

    /// Forgets that a part of the tree is shown, unless it was read.
    ///
    /// - Parameter condition: Whether that still holds when it is stored.
    private func forgetUnread(_ window: TreeWindow, if condition: @Sendable () -> Bool) async throws {
        try await store.change(account, .appEnd) { if condition() { try $0.forgetUnread(window) } }
    }

    // MARK: Comments and lists

    /// Reads the newest comments on a post, and again each time one of them changes.
    private func follow(commentsOn post: Post.ID) async throws {
        let newest = client.tree("comments").child(post.rawValue).observe(TreeQuery().last(20))
        do {
            for try await _ in newest { try await store.loadComments(on: post) }
        } catch let problem as Problem {
            // The rules may let the person read comments, but not the part of the tree.
            try await store.loadComments(on: post)
            throw problem
        }
    }

    /// Reads the newest posts of a list, and again after a minute or if one of them has left the device.
    private func follow(_ list: ListName) async throws {
        try await store.refresh(list)
        // At most one request each second, also if the answers do not help.
        try await store.pause(.seconds(1))
        try await untilFirst(
            { try await store.pause(.seconds(60)) },
            {
                try await until { view in
                    view.depend(on: .list(list))
                    return try view.records.entries(of: list, limit: 20).contains { entry in
                        view.depend(on: .post(Post.ID(entry.id)))
                        return try view.records.number(of: .post(Post.ID(entry.id))) == nil
                    }
                }
            })
    }

    /// Waits for a state of the store.
    private func until(_ condition: @escaping @Sendable (LocalView) throws -> Bool) async throws {
        for try await isMet in LocalValues(store, condition) where isMet { return }
        throw CancellationError()
    }
}

/// Runs two bodies until one of them ends, and cancels the other.
func untilFirst(
    _ first: @escaping @Sendable () async throws -> Void, _ second: @escaping @Sendable () async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await first() }
        group.addTask { try await second() }
        defer { group.cancelAll() }
        try await group.next()
    }
}
