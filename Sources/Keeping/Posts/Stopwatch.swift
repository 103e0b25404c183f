/// The time between the steps of a job.
struct Stopwatch {
    private var last = ContinuousClock.now
    private var lastDue = ContinuousClock.now

    /// Returns the whole milliseconds since the last lap; the remainder counts for the next.
    mutating func lap() -> Int64 {
        let milliseconds = (ContinuousClock.now - last) / .milliseconds(1)
        let whole = Int64(milliseconds)
        last += .milliseconds(whole)
        return whole
    }

    mutating func isDue(after interval: Duration) -> Bool {
        guard ContinuousClock.now - lastDue >= interval else { return false }
        lastDue = .now
        return true
    }
}
