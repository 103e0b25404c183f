/// An allowance that refills at a steady rate and may be spent in a burst (the token bucket, RFC 2697 §3).
package struct TokenBucket: Sendable {
    /// The amount that is refilled per second.
    private let rate: Double
    private let capacity: Double
    private var tokens: Double
    private var updated: ContinuousClock.Instant

    /// - Parameter burst: The size of the allowance, in seconds of the rate.
    package init(perSecond rate: Double, burst: Double, now: ContinuousClock.Instant) {
        self.rate = rate
        capacity = rate * burst
        tokens = capacity
        updated = now
    }

    /// Spends some of the allowance if any is left. Spending more than is left creates a debt.
    ///
    /// - Returns: Nil when something was left, else the time to wait, in seconds.
    package mutating func take(_ count: Double, now: ContinuousClock.Instant) -> Double? {
        refill(now)
        guard tokens > 0 else { return max(1, (1 - tokens) / rate) }
        tokens -= count
        return nil
    }

    /// Spends some of the allowance, even if it is not there.
    package mutating func spend(_ count: Double, now: ContinuousClock.Instant) {
        refill(now)
        tokens -= count
    }

    /// Whether the allowance is unspent.
    package mutating func isFull(now: ContinuousClock.Instant) -> Bool {
        refill(now)
        return tokens >= capacity
    }

    private mutating func refill(_ now: ContinuousClock.Instant) {
        let seconds = (now - updated) / .seconds(1)
        tokens = min(capacity, tokens + max(0, seconds) * rate)
        updated = now
    }
}
