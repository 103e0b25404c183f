import Synchronization

/// Lets work with the same key happen one after the other, in the order in which it came. Any thread.
package final class KeyedLock<Key: Hashable & Sendable>: Sendable {
    /// The keys that are held, each with those who wait for it.
    private let waiters = Mutex<[Key: [Waiter]]>([:])

    package init() {}

    /// Does something while nobody else works with the key.
    ///
    /// The key is freed by this scope, not by a value's `deinit`: see the rule about these in Documentation/Contributing.md.
    ///
    /// - Parameter patience: The time for which it waits for others; nil for as long as they take.
    /// - Throws: ``LeaseTimeout`` when that is over, `CancellationError`, and what `body` throws.
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

    /// Waits until nobody else works with the key.
    ///
    /// - Returns: Whether that came to pass before the time was over and the task was cancelled.
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

    /// Takes a waiter out of its line; nil when it is not there any more.
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

/// The error of work that has waited for a key as long as it may.
package struct LeaseTimeout: Error {}
