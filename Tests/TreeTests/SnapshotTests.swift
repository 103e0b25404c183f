import Dispatch
import TestSupport
import Testing

@testable import Tree

@Suite("C12: one writer and many readers; no reader waits or sees half of an update", .timeLimit(.minutes(20)))
struct SnapshotTests {
    @Test(
        "a reader's state stays the same while writers write, and the writers do not wait for it",
        arguments: EngineKind.allCases
    )
    func standsStill(kind: EngineKind) async throws {
        let (isReading, hasWritten) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try await withStore(kind) { store in
            try await store.set("a", to: 1)
            // The body blocks, so it has a thread of its own.
            let reader = Task(executorPreference: QueueExecutor()) {
                try await store.snapshot { snapshot throws in
                    let before = (try snapshot.get(.root), try snapshot.token)
                    isReading.signal()
                    hasWritten.wait()
                    let after = (try snapshot.get(.root), try snapshot.token)
                    #expect(before == after && after.0 == ["a": 1] && after.1.sequence == 1)
                    #expect(try snapshot.keys(of: .root) == ["a"] && !snapshot.exists("b"))
                }
            }
            try await Task(executorPreference: QueueExecutor()) {
                isReading.wait()
                defer { hasWritten.signal() }
                try await store.set("a", to: 2)
                try await store.set("b", to: ["c": 3])
                #expect(try await store.get(.root) == ["a": 2, "b": ["c": 3]])
            }.value
            try await reader.value
        }
    }

    @Test("an error that the body throws is passed on unchanged")
    func errors() async throws {
        struct OnPurpose: Error {}
        try await withStore(.memory) { store in
            await #expect(throws: OnPurpose.self) { try await store.snapshot { _ in throw OnPurpose() } }
        }
    }
}

@Suite("All ways of reading give the same answer")
struct SnapshotReadingTests {
    @Test("A caching state answers like a state that reads everything again", arguments: 0..<200 as Range<UInt64>)
    func remembering(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let value = generator.value(maxDepth: 4)
        let lists = (0..<3).map { _ in generator.path(maxDepth: 2) }
        let paths = (0..<60).map { _ in generator.path() }
        try await withStore(.memory) { store in
            try await store.set(.root, to: value)
            try await store.snapshot { snapshot in
                let remembering = snapshot.remembering(childrenOf: lists)
                for path in paths {
                    let children = try remembering.children(of: path)
                    #expect(try children == snapshot.children(of: path), "\(lists), \(path)")
                    let value = try remembering.get(path)
                    #expect(try value == snapshot.get(path), "\(lists), \(path)")
                    let isThere = try remembering.exists(path)
                    #expect(try isThere == snapshot.exists(path), "\(lists), \(path)")
                    let made = try remembering.reading(path) { $0.map { "\($0)".count } }
                    #expect(made == value.map { "\($0)".count })
                }
            }
        }
    }

    @Test(
        "The nodes of a pattern are found in pages of any size, whatever is below them",
        arguments: 0..<200 as Range<UInt64>)
    func nodes(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        // Some nodes have more rows than are skipped one by one.
        let many = TreeValue.object(
            Dictionary(uniqueKeysWithValues: (0..<12).map { (TreeKey(unchecked: "k\($0)"), 1) }))
        var children: [TreeKey: TreeValue] = [:]
        for _ in 0..<6 { children[generator.key()] = generator.chance(30) ? many : generator.value(maxDepth: 3) }
        let value = TreeValue.object(children)
        let pattern = TreePath(
            (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                generator.chance(60) ? "*" : generator.key()
            })
        let limit = Int.random(in: 1...4, using: &generator)
        try await withStore(.memory) { store in
            try await store.set(.root, to: value)
            let found = try await store.snapshot { snapshot in
                var found: [TreePath] = []
                while true {
                    let page = try TreePattern(pattern).nodes(in: snapshot, after: found.last, limit: limit)
                    found += page
                    if page.count < limit { return found }
                }
            }
            #expect(found == Self.nodes(pattern.keys[...], of: try await store.get(.root), at: []), "\(pattern)")
        }
    }

    /// Returns the nodes that match, in key order, by a search of the value.
    private static func nodes(_ pattern: ArraySlice<TreeKey>, of value: TreeValue?, at keys: [TreeKey]) -> [TreePath] {
        guard let value else { return [] }
        guard let first = pattern.first else { return [TreePath(keys)] }
        let children = value.object ?? [:]
        let matching = first == "*" ? children.keys.sorted() : [first]
        return matching.flatMap { nodes(pattern.dropFirst(), of: children[$0], at: keys + [$0]) }
    }
}

/// Runs tasks on a thread that may be blocked.
private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "SnapshotTests")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
