import Glibc

/// Work that several tasks repeat, measured.
struct Load {
    /// How often the work was done in a second, by all tasks together.
    let perSecond: Double
    /// What each cost in time of a processor, the tasks' own part included.
    let processorMicroseconds: Double

    /// Lets tasks do some work, each one after the other, for a while; it is told its running number.
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
