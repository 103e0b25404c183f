import Synchronization

/// The network addresses from which users have signed in to accounts, in bounded memory.
final class KnownAddresses: Sendable {
    private struct State {
        var recent: Set<String> = []
        var older: Set<String> = []
    }

    private let maxCount: Int
    /// The state, with two generations: when the younger one is full, the older one is dropped.
    private let state = Mutex(State())

    init(maxCount: Int = 10_000) { self.maxCount = maxCount }

    func contains(_ name: String) -> Bool {
        state.withLock { $0.recent.contains(name) || $0.older.contains(name) }
    }

    /// Remembers an address.
    ///
    /// - Returns: Whether it was already known.
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
