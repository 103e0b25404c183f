import TestSupport
import Testing

@testable import Tree

/// Random queries on random children give the same result as their evaluation over the value, by scanning and by an
/// index.
@Suite(.timeLimit(.minutes(20))) struct QueryPropertyTests {
    static let rules = """
        { "rules": { "list": { ".indexOn": [".value", "a", "b/a", "nothing/there", ["a", "b"], ["b/a", "a", "b"]] } } }
        """

    @Test(
        "queries agree with their evaluation over the value, before and after their indexes are built",
        arguments: EngineKind.allCases)
    func agreesWithEvaluation(kind: EngineKind) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        try await withEngine(kind) { engine in
            let store = try await TreeStore(engine: engine, isMaintained: false)
            for round in 0..<20 {
                let list = try await fill(store, &random)
                // First by scanning, as no index is ready yet, then by indexes.
                try await store.setRules("{\"rules\": {}}")
                try await store.setRules(Self.rules)
                try await check(store, list, &random, "seed \(seed), round \(round), scanning")
                try await store.finishMaintenance()
                try await check(store, list, &random, "seed \(seed), round \(round), by index")
            }
        }
    }

    private func fill(
        _ store: TreeStore, _ random: inout SeededGenerator
    ) async throws -> (value: TreeValue?, priorities: [TreeKey: TreeValue]) {
        var list = NaiveTree()
        var priorities: [TreeKey: TreeValue] = [:]
        for _ in 0..<Int.random(in: 0...25, using: &random) {
            let key = random.key()
            list.set(TreePath([key]), to: random.child())
            priorities[key] = random.priority()
        }
        try await store.set("list", to: list.value)
        for (key, priority) in priorities {
            _ = try await store.update(try JSONUpdate(.priority, at: "list" / key, json: priority.json()))
        }
        return (list.value, priorities)
    }

    private func check(
        _ store: TreeStore, _ list: (value: TreeValue?, priorities: [TreeKey: TreeValue]),
        _ random: inout SeededGenerator, _ place: String
    ) async throws {
        for _ in 0..<100 {
            let query = try random.query()
            let hint: Comment = "\(place): \(query)"
            let taken = query.children(of: list.value, priorities: list.priorities)
            try await store.snapshot { snapshot throws in
                let found = try snapshot.children(of: "list", matching: query)
                #expect(found.map(\.key) == taken.map(\.key), hint)
                #expect(found.map(\.value) == taken.map(\.value), hint)
                #expect(try snapshot.count(of: "list", matching: query) == taken.count, hint)
                let json = try snapshot.json(of: "list", matching: query)
                #expect(String(decoding: json, as: UTF8.self) == query.json(ofTaken: taken), hint)
            }
        }
    }
}

extension TreeStore {
    /// Runs all waiting background work.
    func finishMaintenance() async throws {
        while case .work = try await maintenance.pass() {}
    }
}
