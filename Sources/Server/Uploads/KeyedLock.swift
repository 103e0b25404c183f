import Synchronization

/// Lets work with the same key happen one after the other, in the order in which it came.
final class KeyedLock<Key: Hashable & Sendable>: Sendable {
    /// The keys that are held, each with those who wait for it.
    private let waiting = Mutex<[Key: [CheckedContinuation<Void, Never>]]>([:])

    /// Runs `body` while nobody else runs with that key.
    func withLock<R>(_ key: Key, _ body: () async throws -> R) async rethrows -> R {
        await take(key)
        defer { release(key) }
        return try await body()
    }

    private func take(_ key: Key) async {
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
