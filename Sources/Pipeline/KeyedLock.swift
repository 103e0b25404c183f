import Synchronization

/// Lets work with the same key happen one after the other, in the order in which it came.
final class KeyedLock<Key: Hashable & Sendable>: Sendable {
    /// The keys that are held, each with those who wait for it.
    private let waiting = Mutex<[Key: [CheckedContinuation<Void, Never>]]>([:])

    /// Does something while nobody else works with the key.
    ///
    /// The key is freed by this scope, not by a value's `deinit`: optimised code did not run that of a noncopyable payload
    /// of a noncopyable enum.
    func withLease<Value>(_ key: Key, _ body: () async throws -> Value) async rethrows -> Value {
        await acquire(key)
        defer { release(key) }
        return try await body()
    }

    /// Waits until nobody else works with the key.
    private func acquire(_ key: Key) async {
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
