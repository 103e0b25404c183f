import Tree

/// Measures reads of small objects, by one reader and by many, at rest and beside a writer.
struct ReadBenchmark {
    private static let objectCount = 20_000

    let folder: String
    let seconds: Double

    func run() async throws {
        let store = try await TreeStore(engine: try SQLiteEngine(path: "\(folder)/tree.sqlite"))
        let paths = try await fill(store)
        for readers in [1, 16] {
            let load = try await Load(tasks: readers, seconds: seconds) { index in
                _ = try await store.get(paths[index &* 7919 % paths.count])
            }
            Table.printRate("\(readers) reader\(readers == 1 ? "" : "s")", load)
        }
        await store.close()
    }

    private func fill(_ store: TreeStore) async throws -> [TreePath] {
        let ids = PushIDGenerator()
        let paths = (0..<Self.objectCount).map { _ in "objects" / ids.next() }
        for start in stride(from: 0, to: paths.count, by: 500) {
            var update = MultiPathUpdate()
            for path in paths[start..<min(start + 500, paths.count)] {
                update[path] = ["name": "Ada Lovelace", "count": 12, "is_new": true]
            }
            try await store.update(update)
        }
        return paths
    }
}
