import Synchronization

/// Lets work with the same key happen one after the other, in the order in which it came. Any thread.
package final class KeyedLock<Key: Hashable & Sendable>: Sendable {
    private struct Waiter {
        let id: UInt64
        /// Ends the waiting when it has taken too long; nil for one that may take as long as it takes.
        let end: Task<Void, any Error>?
        let continuation: CheckedContinuation<Bool, Never>

        /// Ends the waiting.
        func finish(hasKey: Bool) {
            end?.cancel()
            continuation.resume(returning: hasKey)
        }
    }

    private struct State {
        /// The keys that are held, each with those who wait for it.
        var waiters: [Key: [Waiter]] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Mutex(State())

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
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isFree: Bool? = state.withLock { state in
                    guard state.waiters[key] != nil else {
                        state.waiters[key] = []
                        return true
                    }
                    // Whoever was cancelled before is not looked for among those who wait.
                    guard !Task.isCancelled else { return false }
                    let end = patience.map { patience in
                        Task {
                            try await Task.sleep(for: patience)
                            leave(key, id)
                        }
                    }
                    state.waiters[key]?.append(Waiter(id: id, end: end, continuation: continuation))
                    return nil
                }
                if let isFree { continuation.resume(returning: isFree) }
            }
        } onCancel: {
            leave(key, id)
        }
    }

    /// Waits no more, if it still does.
    private func leave(_ key: Key, _ id: UInt64) {
        let waiter: Waiter? = state.withLock { state in
            guard let index = state.waiters[key]?.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters[key]?.remove(at: index)
        }
        waiter?.finish(hasKey: false)
    }

    private func release(_ key: Key) {
        let next: Waiter? = state.withLock { state in
            guard state.waiters[key]?.isEmpty == false else {
                state.waiters[key] = nil
                return nil
            }
            return state.waiters[key]?.removeFirst()
        }
        next?.finish(hasKey: true)
    }
}

/// The error of work that has waited for a key as long as it may.
package struct LeaseTimeout: Error {}
