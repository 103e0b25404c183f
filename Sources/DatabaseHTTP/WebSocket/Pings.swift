/// The question whether a client is there, asked again and again.
struct Pings {
    /// Pings that may stay unanswered.
    private static let maxUnanswered = 2

    private var unanswered = 0
    private var seconds: Int

    /// - Parameter interval: How often it is asked, in seconds.
    init(every interval: Int) {
        // Not all sessions are to be asked in the same second.
        seconds = Int.random(in: 0..<max(1, interval))
    }

    /// Counts a second.
    ///
    /// - Returns: Whether it is time to ask.
    mutating func isDue(after interval: Int) -> Bool {
        seconds += 1
        guard seconds >= interval else { return false }
        seconds = 0
        return true
    }

    /// Notes that it is asked; false when nobody is there any more.
    mutating func send() -> Bool {
        unanswered += 1
        return unanswered <= Self.maxUnanswered
    }

    /// Notes that the client has sent something.
    mutating func notice() { unanswered = 0 }
}
