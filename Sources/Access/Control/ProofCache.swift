import Cryptography
import Synchronization
import TreeModel

/// The tokens that were verified a short time ago, so that the next request with one costs next to nothing.
///
/// It knows them by their SHA-256: neither the tokens themselves nor anything that can be guessed.
final class ProofCache: Sendable {
    /// The largest token that is kept, in bytes: what is kept of it is about as large.
    static let maxTokenBytes = 4096

    /// The whole SHA-256 of a token.
    private struct Key: Hashable {
        private let digest: SIMD4<UInt64>

        init(_ token: String) { digest = Digest.sha256Words(token) }

        // The digest is as good as random, so that a part of it will do to find a place in the table.
        func hash(into hasher: inout Hasher) { hasher.combine(digest[0]) }
    }

    private struct Entry {
        let proof: Proof
        /// Until when it counts.
        let end: Timestamp
    }

    private struct State {
        /// What the proofs were judged by.
        var keyVersion = 0
        var entries: [Key: Entry] = [:]
        /// The keys in the order in which they came, beginning anew when all places are taken.
        var order: [Key] = []
        var nextPlace = 0
    }

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int = 10_000) { self.capacity = capacity }

    /// What a token proved; nil if that is not known, or may have changed.
    ///
    /// - Parameters:
    ///   - generation: What proofs have to have been judged by.
    ///   - now: The present time.
    func proof(of token: String, keyVersion: Int, now: Timestamp) -> Proof? {
        guard token.utf8.count <= Self.maxTokenBytes else { return nil }
        let key = Key(token)
        return state.withLock { state in
            guard state.keyVersion == keyVersion, let entry = state.entries[key], now < entry.end else { return nil }
            return entry.proof
        }
    }

    /// Keeps what a token proved; the oldest goes for it when there are too many.
    func keep(_ proof: Proof, of token: String, until end: Timestamp, keyVersion: Int) {
        guard token.utf8.count <= Self.maxTokenBytes, capacity > 0 else { return }
        let key = Key(token)
        state.withLock { state in
            // A judgement by what has changed since is not kept.
            guard keyVersion >= state.keyVersion else { return }
            if keyVersion > state.keyVersion { state = State(keyVersion: keyVersion) }
            guard state.entries.updateValue(Entry(proof: proof, end: end), forKey: key) == nil else { return }
            if state.order.count < capacity { return state.order.append(key) }
            state.entries[state.order[state.nextPlace]] = nil
            state.order[state.nextPlace] = key
            state.nextPlace = (state.nextPlace + 1) % capacity
        }
    }
}
