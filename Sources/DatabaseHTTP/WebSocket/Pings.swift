/// Decides when to send pings, and detects that a client is disconnected.
struct Pings {
    /// The number of pings that may stay unanswered.
    private static let maxUnanswered = 2

    private var unanswered = 0
    private var seconds: Int

    /// - Parameter interval: The time between pings, in seconds.
    init(every interval: Int) {
        // Sessions should not all send pings in the same second.
        seconds = Int.random(in: 0..<max(1, interval))
    }

    /// Counts a second.
    ///
    /// - Returns: Whether a ping is due.
    mutating func isDue(after interval: Int) -> Bool {
        seconds += 1
        guard seconds >= interval else { return false }
        seconds = 0
        return true
    }

    /// Counts a ping; false if the client no longer answers.
    mutating func send() -> Bool {
        unanswered += 1
        return unanswered <= Self.maxUnanswered
    }

    /// Notes that the client has sent bytes.
    mutating func notice() { unanswered = 0 }
}
