import Tree

/// Measures durable updates, by one writer and by many.
struct WriteBenchmark {
    let folder: String
    let seconds: Double
    let update: @Sendable (Int) -> MultiPathUpdate

    func run() async throws {
        for writers in [1, 64] {
            let bare = try BareSync.rate(in: folder, seconds: min(seconds, 2))
            Table.printRate("bare fdatasync", bare)
            let (load, groupSize) = try await measure(writers: writers)
            let note = "\(Table.rounded(groupSize, digits: 1)) a transaction"
            Table.printRate("\(writers) writer\(writers == 1 ? "" : "s")", load, note: note, of: bare)
        }
    }

    /// Returns the load, and the mean number of updates in a transaction.
    private func measure(writers: Int) async throws -> (load: Load, groupSize: Double) {
        let store = try await TreeStore(engine: try SQLiteEngine(path: "\(folder)/tree\(writers).sqlite"))
        // The log file reaches its usual length first.
        _ = try await Load(tasks: writers, seconds: min(seconds / 4, 1)) { try await store.update(update($0)) }
        let before = store.statistics
        let load = try await Load(tasks: writers, seconds: seconds) { try await store.update(update($0)) }
        let after = store.statistics
        await store.close()
        let transactions = max(after.transactions - before.transactions, 1)
        return (load, Double(after.updates - before.updates) / Double(transactions))
    }
}
