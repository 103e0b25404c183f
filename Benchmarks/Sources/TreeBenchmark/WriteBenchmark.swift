import Tree

/// How many updates are committed durably in a second, by one writer and by many.
struct WriteBenchmark {
    let folder: String
    let seconds: Double
    let update: @Sendable (Int) -> MultiPathUpdate

    func run() async throws {
        for writers in [1, 64] {
            let bare = try BareSync.rate(in: folder, seconds: min(seconds, 2))
            Table.printRate("bare fdatasync", bare)
            let (rate, transactions) = try await measure(writers: writers)
            let note = "\(Table.rounded(rate / transactions, digits: 1)) a transaction"
            Table.printRate("\(writers) writer\(writers == 1 ? "" : "s")", rate, note: note, of: bare)
        }
    }

    /// Updates and transactions a second.
    private func measure(writers: Int) async throws -> (updates: Double, transactions: Double) {
        let store = try await TreeStore(engine: try SQLiteEngine(path: "\(folder)/tree\(writers).sqlite"))
        // The log file reaches its usual length first.
        _ = try await Load.rate(tasks: writers, seconds: min(seconds / 4, 1)) { try await store.update(update($0)) }
        let before = store.statistics
        let rate = try await Load.rate(tasks: writers, seconds: seconds) { try await store.update(update($0)) }
        let after = store.statistics
        await store.close()
        let updates = Double(after.updates - before.updates)
        return (rate, rate * Double(after.transactions - before.transactions) / max(updates, 1))
    }
}

/// Work that several tasks repeat.
enum Load {
    /// How many times a second tasks together do some work, each one after the other; it is told its running number.
    static func rate(
        tasks: Int, seconds: Double, _ work: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> Double {
        let clock = ContinuousClock()
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
        return Double(count) / (start.duration(to: clock.now) / .seconds(1))
    }
}
