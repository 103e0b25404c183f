import Synchronization

/// The addresses from which accounts were let in, as far as a bounded memory goes.
final class KnownAddresses: Sendable {
    private struct State {
        var recent: Set<String> = []
        var older: Set<String> = []
    }

    private let maxCount: Int
    /// Two generations: when the younger one is full, the older one is forgotten.
    private let state = Mutex(State())

    init(maxCount: Int = 10_000) { self.maxCount = maxCount }

    func contains(_ name: String) -> Bool {
        state.withLock { $0.recent.contains(name) || $0.older.contains(name) }
    }

    /// Remembers an address.
    ///
    /// - Returns: Whether it was known already.
    func add(_ name: String) -> Bool {
        state.withLock { state in
            let isKnown = state.recent.contains(name) || state.older.contains(name)
            if state.recent.count >= maxCount {
                state.older = state.recent
                state.recent = []
            }
            state.recent.insert(name)
            return isKnown
        }
    }
}
