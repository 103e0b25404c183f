/// The delay before another attempt after a transient error. The number of attempts is unlimited.
package enum Backoff {
    /// Returns the longest delay, in milliseconds. It doubles with every attempt.
    ///
    /// - Parameters:
    ///   - attempt: The number of attempts so far, from 1.
    ///   - first: The delay after the first attempt.
    ///   - longest: The upper limit of the delay.
    package static func milliseconds(
        afterAttempt attempt: Int, from first: Int64 = 500, atMost longest: Int64 = 60_000
    ) -> Int64 {
        min(longest, first << min(max(attempt, 1) - 1, 20))
    }

    /// Returns a delay of which half is random jitter, so that attempts that failed together are not repeated together.
    ///
    /// - Parameters:
    ///   - attempt: The number of attempts so far, from 1.
    ///   - longest: The upper limit of the delay, in milliseconds.
    package static func delay(afterAttempt attempt: Int, atMost longest: Int64 = 60_000) -> Duration {
        let milliseconds = milliseconds(afterAttempt: attempt, atMost: longest)
        return .milliseconds(Double(milliseconds) * Double.random(in: 0.5...1))
    }
}
