/// The waits between attempts: they double from half a second to a minute, and are shortened by up to half at random, so that
/// the clients of a service that was away do not come all at once.
package enum Backoff {
    private static let first = Duration.milliseconds(500)
    /// The longest wait.
    package static let longest = Duration.seconds(60)

    /// Returns the wait after a number of attempts that have failed one after the other.
    package static func wait(afterFailures count: Int) -> Duration {
        let whole = min(first * (1 << min(count, 10)), longest)
        return whole / 2 * (1 + Double.random(in: 0..<1))
    }
}
