import TestSupport
import Testing

@testable import Tree

/// Updates that delete at many paths at once.
@Suite("Many deletions", .timeLimit(.minutes(20)))
struct DeletionTests {
    @Test(
        "Very many deletions give the same result as in a naive tree, whatever is between them",
        arguments: EngineKind.allCases)
    func deletions(kind: EngineKind) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        try await withStore(kind) { store in
            for _ in 0..<20 {
                var naive = NaiveTree()
                try await store.set(.root, to: nil)
                for _ in 0..<40 {
                    let (path, value) = (random.path() / random.key(), random.optionalValue())
                    try await store.set(path, to: value)
                    naive.set(path, to: value)
                }
                var update = MultiPathUpdate()
                for _ in 0..<Int.random(in: 2...90, using: &random) {
                    var more = update
                    more[random.path() / random.key()] = nil
                    if !more.hasConflictingPaths { update = more }
                }
                try await store.update(update)
                for path in update.values.keys { naive.set(path, to: nil) }
                #expect(try await store.get(.root) == naive.value, "seed \(seed)")
            }
        }
    }

    @Test("Only deleted nodes are in the change log; the priority of a parent is deleted with its last child")
    func told() async throws {
        try await withStore(.sqlite) { store in
            let names = (0..<200).map { TreeKey(unchecked: "key\($0)") }
            func members(_ value: String) -> String { names.map { "\"\($0)\":\(value)" }.joined(separator: ",") }
            try await store.update(
                JSONUpdate(
                    .value, at: "a", json: "{\".priority\":1,\"b\":{\".priority\":2,\(members("{\"c\":1}"))}}".utf8))
            try await store.update(JSONUpdate(.value, at: "beside", json: "1".utf8))
            let token = try await store.update(JSONUpdate(.update, at: "none", json: "{\(members("null"))}".utf8)).token
            #expect(token.sequence == 2, "nothing was there")

            let even = names.enumerated().filter { $0.offset.isMultiple(of: 2) }.map { "\"\($0.element)\":null" }
            try await store.update(JSONUpdate(.update, at: "a/b", json: "{\(even.joined(separator: ","))}".utf8))
            #expect(try await store.keys(of: "a/b").count == 100)
            #expect(try await store.changes(since: token, limit: 9).map(\.writes.count) == [100])

            try await store.update(JSONUpdate(.update, at: "a/b", json: "{\(members("null"))}".utf8))
            #expect(try await store.changes(since: token, limit: 9).map(\.writes.count) == [100, 100])
            #expect(try await store.get(.root) == ["beside": 1])
            let all = try await store.snapshot { try $0.json(of: .root, .export) }
            #expect(String(decoding: all, as: UTF8.self) == #"{"beside":1}"#, "the priorities went, too")
        }
    }
}
