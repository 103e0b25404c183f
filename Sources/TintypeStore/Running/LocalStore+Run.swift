import TintypeClient
import TintypeModel

extension LocalStore {
    /// Sends what was written, and follows what changes on the service, until the task is cancelled.
    ///
    /// It waits while nobody is signed in, and follows a change of the person. If it is under way already, a further call
    /// waits until that has ended.
    ///
    /// - Parameter handOver: The folder of posts that it adopts when it begins and when a person signs in; nil for none. If
    ///   the folder cannot be read, the rest goes on; `adoptPosts(from:)` says why.
    /// - Throws: `RecordStoreError`, or `CancellationError`.
    public func run(adoptingPostsFrom handOver: HandOver? = nil) async throws {
        try await adopt(handOver)
        try await takeTurn()
        defer {
            isRunning.withLock { $0 = false }
            hub.report([.run])
        }
        while true {
            try Task.checkCancellation()
            for await state in await client.session.states() {
                hub.report([.account])
                if case .signedIn(let account) = state {
                    try await run(for: account.id, handOver)
                    break
                }
            }
        }
    }

    /// Waits until no other call is under way.
    private func takeTurn() async throws {
        let ends = hub.listen(to: .run)
        while isRunning.withLock({ wasRunning in
            defer { wasRunning = true }
            return wasRunning
        }) { try await ends.change() }
    }

    /// Sends what was written until nothing is left to be sent, for the time that the system gives an app in the background.
    /// It may be called while `run(adoptingPostsFrom:)` is under way. It returns at once if nobody is signed in, and waits while
    /// nothing can be sent, such as without a network.
    ///
    /// - Throws: `RecordStoreError`, or `CancellationError` when the time is over; what is left stays in the queue.
    public func sendAll() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.run() }
            group.addTask { for try await count in self.unsentCount() where count == 0 { return } }
            defer { group.cancelAll() }
            try await group.next()
            try Task.checkCancellation()
        }
    }

    /// Sends and follows until another person is signed in, or nobody.
    private func run(for account: Person.ID, _ handOver: HandOver?) async throws {
        welcome(account)
        try await removeUnneededPhotos()
        try await adopt(handOver)
        let sender = Sender(store: self, account: account, sender: writeSender(for: account))
        let syncer = Syncer(store: self, account: account)
        let follower = Follower(store: self, account: account)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in Write.Lane.allCases { group.addTask { try await sender.run(lane) } }
            group.addTask { try await syncer.run() }
            group.addTask { try await follower.run() }
            group.addTask { [client] in
                for await state in await client.session.states() {
                    guard case .signedIn(let present) = state, present.id == account else { return }
                }
            }
            defer { group.cancelAll() }
            // The data of the person may be removed meanwhile: what is done for them begins again.
            do { try await group.next() } catch SessionError.signedOut {}
        }
    }

    /// Adopts the posts of a folder, if it can be read and somebody is signed in.
    private func adopt(_ handOver: HandOver?) async throws {
        guard let handOver else { return }
        do { try await adoptPosts(from: handOver) } catch {
            try Task.checkCancellation()
            if error is RecordStoreError { throw error }
        }
    }

    private func writeSender(for account: Person.ID) -> WriteSender {
        let client = client.sending(as: account)
        let photos = PhotoSender(
            client: client, folder: folder, uploader: uploader,
            progress: { try await self.progress(of: $0, account) },
            store: { try await self.setProgress($0, of: $1, account) },
            refreshed: { try await self.hub.listen(to: .attempt).change() },
            report: { number, sentCount, count in
                let progress = SendingState.Progress(sentCount: sentCount, count: count)
                if self.sending.setProgress(progress, of: number) { self.hub.report([.write(number)]) }
            })
        return WriteSender(client: client, account: account, photos: photos)
    }

    /// Tries at once to reach the service, if it could not be reached: for a gesture such as pulling down a list.
    ///
    /// A second call, if the system's uploads have sent nothing in between, takes their photos back: they are sent in pieces
    /// while the app runs.
    public func refresh() { hub.report([.attempt]) }

    /// Waits, or until the device has a network again or `refresh()` is called.
    ///
    /// - Throws: `CancellationError`.
    func pause(_ duration: Duration) async throws {
        try await withThrowingTaskGroup(of: Void.self) { [clock, hub, reachability] group in
            group.addTask {
                try await hub.listen(to: .attempt).change()
            }
            group.addTask { try await clock.sleep(for: duration) }
            group.addTask {
                for await isReachable in reachability.changes().dropFirst() where isReachable { return }
                try await clock.sleep(for: duration)
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
