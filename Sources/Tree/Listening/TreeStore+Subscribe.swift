extension TreeStore {
    /// Begins to listen at a path.
    ///
    /// - Parameters:
    ///   - path: What to watch.
    ///   - bufferLimit: By how many changes the reader may fall behind before it is cut off.
    ///   - readsValue: Whether to read what is there at first; false for a node that is large and known otherwise.
    /// - Throws: ``TreeError``, the engine's failure.
    public func subscribe(
        to path: TreePath, bufferLimit: Int = 1024, readsValue: Bool = true
    ) async throws(TreeError) -> Subscription {
        try path.checkDepth()
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Change.self, throwing: (any Error).self, bufferingPolicy: .bufferingOldest(Swift.max(1, bufferLimit)))
        let node = StoreFormat.dataKey(path)
        // First listen, then read: a change in between is in both, and the subscription knows it by its token.
        let id = commits.add(.subscription(Subscription.Buffer(continuation: continuation)), at: node)
        continuation.onTermination = { [weak commits] _ in commits?.remove(id, at: node) }
        let (value, token) = try await read { snapshot throws(TreeError) in
            (readsValue ? try snapshot.get(path) : nil, try snapshot.token)
        }
        return Subscription(value: value, token: token, changes: stream)
    }

    /// Waits until there are changes after a position, anywhere in the store, or it is closed, or the task is
    /// cancelled; no longer than the limit, if there is one.
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
