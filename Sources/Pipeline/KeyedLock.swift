import Synchronization

/// Lets work with the same key happen one after the other, in the order in which it came.
final class KeyedLock<Key: Hashable & Sendable>: Sendable {
    /// The right to work with a key, given back when the lease goes.
    struct Lease: ~Copyable, Sendable {
        fileprivate let lock: KeyedLock
        fileprivate let key: Key

        deinit { lock.release(key) }
    }

    /// The keys that are held, each with those who wait for it.
    private let waiting = Mutex<[Key: [CheckedContinuation<Void, Never>]]>([:])

    /// Waits until nobody else works with the key.
    func lease(_ key: Key) async -> Lease {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                if waiting[key] == nil {
                    waiting[key] = []
                    return true
                }
                waiting[key]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
        return Lease(lock: self, key: key)
    }

    /// Does something while nobody else works with the key.
    func withLease<Value>(_ key: Key, _ body: () async throws -> Value) async rethrows -> Value {
        let lease = await lease(key)
        defer { extendLifetime(lease) }
        return try await body()
    }

    private func release(_ key: Key) {
        let next: CheckedContinuation<Void, Never>? = waiting.withLock { waiting in
            guard let first = waiting[key]?.first else {
                waiting[key] = nil
                return nil
            }
            waiting[key]?.removeFirst()
            return first
        }
        next?.resume()
    }
}
