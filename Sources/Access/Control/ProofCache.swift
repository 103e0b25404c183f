import Cryptography
import Synchronization
import TreeModel

/// A cache of recently verified tokens, so that the next request with the same token is cheap.
///
/// Tokens are stored by their SHA-256 digest: the cache holds neither the tokens nor data from which they can be
/// guessed.
final class ProofCache: Sendable {
    /// The largest token that is cached, in bytes; its proof is about as large.
    static let maxTokenBytes = 4096

    /// The whole SHA-256 digest of a token.
    private struct Key: Hashable {
        private let digest: SIMD4<UInt64>

        init(_ token: String) { digest = Digest.sha256Words(token) }

        // The digest is as good as random, so a part of it suffices as a hash.
        func hash(into hasher: inout Hasher) { hasher.combine(digest[0]) }
    }

    private struct Entry {
        let proof: Proof
        /// The time until which the proof is valid.
        let end: Timestamp
    }

    private struct State {
        /// The key version with which the proofs were verified.
        var keyVersion = 0
        var entries: [Key: Entry] = [:]
        /// The keys in the order of their arrival, as a ring buffer.
        var order: [Key] = []
        var nextPlace = 0
    }

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int = 10_000) { self.capacity = capacity }

    /// Returns the proof of a token; nil if it is not cached or may have changed.
    ///
    /// - Parameters:
    ///   - keyVersion: The required key version of the cached proof.
    ///   - now: The current time.
    func proof(of token: String, keyVersion: Int, now: Timestamp) -> Proof? {
        guard token.utf8.count <= Self.maxTokenBytes else { return nil }
        let key = Key(token)
        return state.withLock { state in
            guard state.keyVersion == keyVersion, let entry = state.entries[key], now < entry.end else { return nil }
            return entry.proof
        }
    }

    /// Caches the proof of a token; the oldest proof is removed when the cache is full.
    func keep(_ proof: Proof, of token: String, until end: Timestamp, keyVersion: Int) {
        guard token.utf8.count <= Self.maxTokenBytes, capacity > 0 else { return }
        let key = Key(token)
        state.withLock { state in
            // A proof that was verified with older keys is not cached.
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
