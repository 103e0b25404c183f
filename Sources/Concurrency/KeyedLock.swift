import Synchronization

/// A lock for each key: work with the same key runs one after another, in order of arrival. Any thread.
package final class KeyedLock<Key: Hashable & Sendable>: Sendable {
    /// The keys that are held, each with the waiters for it.
    private let waiters = Mutex<[Key: [Waiter]]>([:])

    package init() {}

    /// Runs a body while no other task works with the key.
    ///
    /// The key is released by this scope, not by a value's `deinit`: see the rule about these in
    /// Documentation/Contributing.md.
    ///
    /// - Parameter patience: The longest time to wait for the key; nil for no limit.
    /// - Throws: ``LeaseTimeout`` when that time is over, `CancellationError`, and the errors of `body`.
    package func withLease<Value>(
        _ key: Key, within patience: Duration? = nil, _ body: () async throws -> Value
    ) async throws -> Value {
        guard await acquire(key, within: patience) else {
            try Task.checkCancellation()
            throw LeaseTimeout()
        }
        defer { release(key) }
        return try await body()
    }

    /// Waits until no other task works with the key.
    ///
    /// - Returns: Whether the key was acquired before the time was over and before the task was cancelled.
    private func acquire(_ key: Key, within patience: Duration?) async -> Bool {
        var end: Task<Void, any Error>?
        defer { end?.cancel() }
        return await Waiter.wait { waiter in
            waiters.withLock { waiters in
                guard waiters[key] != nil else {
                    waiters[key] = []
                    return true
                }
                guard !Task.isCancelled else { return false }
                waiters[key]?.append(waiter)
                end = patience.map { patience in
                    Task {
                        try await Task.sleep(for: patience)
                        leave(key, waiter.id)?.finish(false)
                    }
                }
                return nil
            }
        } leave: { id in
            leave(key, id)
        }
    }

    /// Removes a waiter from its line; returns nil when it is no longer there.
    private func leave(_ key: Key, _ id: Waiter.ID) -> Waiter? {
        waiters.withLock { waiters in
            guard let index = waiters[key]?.firstIndex(where: { $0.id == id }) else { return nil }
            return waiters[key]?.remove(at: index)
        }
    }

    private func release(_ key: Key) {
        let next: Waiter? = waiters.withLock { waiters in
            guard waiters[key]?.isEmpty == false else {
                waiters[key] = nil
                return nil
            }
            return waiters[key]?.removeFirst()
        }
        next?.finish(true)
    }
}

/// The error of work that has waited for a key for as long as allowed.
package struct LeaseTimeout: Error {}
