extension TreeStore {
    /// Starts a subscription at a path.
    ///
    /// - Parameters:
    ///   - path: The path to listen to.
    ///   - bufferLimit: The number of changes by which the reader may fall behind before the subscription is ended.
    ///   - readsValue: Whether the initial value is read; pass false for a large node whose value is not needed.
    /// - Throws: ``TreeError``, the engine's failure.
    public func subscribe(
        to path: TreePath, bufferLimit: Int = 1024, readsValue: Bool = true
    ) async throws(TreeError) -> Subscription {
        try path.checkDepth()
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Change.self, throwing: (any Error).self, bufferingPolicy: .bufferingOldest(Swift.max(1, bufferLimit)))
        let node = StoreFormat.dataKey(path)
        // The listener is added before the read. A change in between is in both; the subscription detects it by its
        // token.
        let id = commits.add(.subscription(Subscription.Buffer(continuation: continuation)), at: node)
        continuation.onTermination = { [weak commits] _ in commits?.remove(id, at: node) }
        let (value, token) = try await read { snapshot throws(TreeError) in
            (readsValue ? try snapshot.get(path) : nil, try snapshot.token)
        }
        return Subscription(value: value, token: token, changes: stream)
    }

    /// Waits until a change after a position exists anywhere in the store, the store is closed, the task is cancelled,
    /// or the time limit, if any, has passed.
    public func waitForChange(after token: SyncToken, atMost limit: Duration? = nil) async {
        guard let limit else { return await commits.waitForChange(after: token) }
        await withTaskGroup { [commits] group in
            group.addTask { await commits.waitForChange(after: token) }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }
}
