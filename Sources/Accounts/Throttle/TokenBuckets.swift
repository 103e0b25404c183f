import Synchronization
import TreeModel

/// A rate limit: a number of operations at once, and then one per interval.
package struct RateLimit: Hashable, Sendable {
    /// The number of operations that are allowed at once.
    package let burst: Double
    /// The time after which a further operation is allowed, in seconds.
    package let interval: Double

    package init(burst: Double, interval: Double) {
        self.burst = burst
        self.interval = interval
    }
}

/// A token bucket for each of many keys, in bounded memory.
///
/// When there are too many keys, the fullest buckets are dropped, since they hold the least information.
final class TokenBuckets: Sendable {
    private struct Bucket {
        var tokens: Double
        /// The time up to which the bucket has been filled.
        var filled: Timestamp
    }

    private let limit: RateLimit
    private let maxKeys: Int
    private let buckets = Mutex<[String: Bucket]>([:])

    init(_ limit: RateLimit, maxKeys: Int = 20_000) {
        self.limit = limit
        self.maxKeys = maxKeys
    }

    /// The number of stored keys.
    var count: Int { buckets.withLock(\.count) }

    /// Removes a token from a key's bucket.
    ///
    /// - Returns: nil, or, when the bucket is empty, the time until the next token in whole seconds.
    func take(_ key: String, at now: Timestamp) -> Int? {
        buckets.withLock { buckets in
            var bucket = buckets[key] ?? Bucket(tokens: limit.burst, filled: now)
            fill(&bucket, at: now)
            defer {
                buckets[key] = bucket
                if buckets.count > maxKeys { forget(&buckets, at: now) }
            }
            guard bucket.tokens >= 1 else { return max(1, Int(((1 - bucket.tokens) * limit.interval).rounded(.up))) }
            bucket.tokens -= 1
            return nil
        }
    }

    /// Returns a token to the bucket.
    func giveBack(_ key: String) {
        buckets.withLock { buckets in
            guard var bucket = buckets[key] else { return }
            bucket.tokens = min(limit.burst, bucket.tokens + 1)
            buckets[key] = bucket
        }
    }

    /// Adds the tokens for the time that has passed.
    private func fill(_ bucket: inout Bucket, at now: Timestamp) {
        // A clock that is set back neither adds nor removes tokens.
        let seconds = Double(max(.zero, now - bucket.filled).milliseconds) / 1000
        bucket.tokens = min(limit.burst, bucket.tokens + seconds / limit.interval)
        bucket.filled = max(bucket.filled, now)
    }

    /// Drops half of the keys, those with the fullest buckets.
    private func forget(_ buckets: inout [String: Bucket], at now: Timestamp) {
        buckets = buckets.mapValues { bucket in
            var bucket = bucket
            fill(&bucket, at: now)
            return bucket
        }
        for (key, _) in buckets.sorted(by: { $0.value.tokens > $1.value.tokens }).prefix(maxKeys / 2 + 1) {
            buckets[key] = nil
        }
    }
}
