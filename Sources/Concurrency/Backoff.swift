/// The delay before another try after a transient error.
package enum Backoff {
    /// Exponential from half a second to a minute, half of it jitter, so that many that failed together do not come back
    /// together. There is no last try.
    ///
    /// - Parameter attempt: How often it was tried, from 1.
    /// - Parameter longest: The longest delay, in seconds.
    package static func delay(afterAttempt attempt: Int, atMost longest: Double = 60) -> Duration {
        let seconds = min(longest, 0.5 * Double(1 << min(max(attempt, 1) - 1, 20)))
        return .seconds(seconds * Double.random(in: 0.5...1))
    }
}
