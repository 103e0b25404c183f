import Testing

@testable import Tree

@Suite("The nodes that a change has written")
struct WrittenPathsTests {
    @Test(
        "A write is seen from each node at, above and below it, with whether it leaves nothing there",
        arguments: [
            (["x": ["y": 1], "z": 2], [[false], [true], [false], [false], []]),
            (nil, [[true], [true], [true], [true], []]),
        ] as [(TreeValue?, [[Bool]])])
    func deletions(value: TreeValue?, expected: [[Bool]]) async throws {
        try await withStore(.memory) { store in
            let start = try await store.set("a", to: ["w": 1])
            try await store.set("a", to: value)
            let page = try await store.snapshot { snapshot in
                try WrittenPathsPage(since: start, at: ["a/x", "a/w", "a/z", "a", "b"], in: snapshot)
            }
            #expect(page.changes.map { $0.seen.map { $0.map(\.isDeletion) } } == [expected])
        }
    }
}
