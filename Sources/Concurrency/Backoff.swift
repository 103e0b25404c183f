/// The delay before another attempt after a transient error. There is no last attempt.
package enum Backoff {
    /// The longest delay, in milliseconds: it doubles with every attempt.
    ///
    /// - Parameters:
    ///   - attempt: The number of attempts so far, from 1.
    ///   - first: The delay after the first attempt.
    ///   - longest: The delay that it never exceeds.
    package static func milliseconds(
        afterAttempt attempt: Int, from first: Int64 = 500, atMost longest: Int64 = 60_000
    ) -> Int64 {
        min(longest, first << min(max(attempt, 1) - 1, 20))
    }

    /// A delay of which half is jitter, so that many that failed together do not come back together.
    ///
    /// - Parameters:
    ///   - attempt: The number of attempts so far, from 1.
    ///   - longest: The delay that it never exceeds, in milliseconds.
    package static func delay(afterAttempt attempt: Int, atMost longest: Int64 = 60_000) -> Duration {
        let milliseconds = milliseconds(afterAttempt: attempt, atMost: longest)
        return .milliseconds(Double(milliseconds) * Double.random(in: 0.5...1))
    }
}
