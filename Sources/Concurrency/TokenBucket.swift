/// An allowance that fills up at a steady rate, and may be spent at once (the token bucket, RFC 2697 §3).
package struct TokenBucket: Sendable {
    /// What comes back in a second.
    private let rate: Double
    private let capacity: Double
    private var tokens: Double
    private var updated: ContinuousClock.Instant

    /// - Parameter burst: How many seconds' worth may be spent at once.
    package init(perSecond rate: Double, burst: Double, now: ContinuousClock.Instant) {
        self.rate = rate
        capacity = rate * burst
        tokens = capacity
        updated = now
    }

    /// Spends some of the allowance if any is left; more than there is makes a debt.
    ///
    /// - Returns: Nil when there was something left, else how long to wait, in seconds.
    package mutating func take(_ count: Double, now: ContinuousClock.Instant) -> Double? {
        refill(now)
        guard tokens > 0 else { return max(1, (1 - tokens) / rate) }
        tokens -= count
        return nil
    }

    /// Spends some of the allowance, whether it is there or not.
    package mutating func spend(_ count: Double, now: ContinuousClock.Instant) {
        refill(now)
        tokens -= count
    }

    /// Whether nothing of it has been spent.
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
