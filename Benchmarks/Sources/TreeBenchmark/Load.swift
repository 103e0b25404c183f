import Glibc

/// Measured work that several tasks repeat.
struct Load {
    /// The repetitions in a second, of all tasks together.
    let perSecond: Double
    /// The processor time of a repetition, in microseconds, including the tasks' own part.
    let processorMicroseconds: Double

    /// Lets tasks repeat some work for a while, each one after the other; the work receives its running number.
    init(tasks: Int, seconds: Double, _ work: @escaping @Sendable (Int) async throws -> Void) async throws {
        let clock = ContinuousClock()
        let processorStart = Self.processorSeconds
        let start = clock.now
        let end = start.advanced(by: .seconds(seconds))
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var count = 0
                    while clock.now < end {
                        try await work(task &+ count &* tasks)
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        perSecond = Double(count) / (start.duration(to: clock.now) / .seconds(1))
        processorMicroseconds = (Self.processorSeconds - processorStart) * 1e6 / Double(max(count, 1))
    }

    /// The time that this process has spent on processors.
    private static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
