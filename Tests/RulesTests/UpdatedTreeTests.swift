import TestSupport
import Testing
import TreeModel

@testable import Rules

@Suite("The state after a hypothetical update")
struct UpdatedTreeTests {
    private static let keys: [TreeKey] = ["a", "b", "c", "0"].map { TreeKey(unchecked: $0) }

    /// Returns a value with a limited number of levels; null and empty objects are possible.
    private func value(_ levels: Int, _ random: inout SeededGenerator) -> JSONValue {
        guard levels > 0, Int.random(in: 0..<3, using: &random) > 0 else {
            return [.null, .bool(true), .integer(Int.random(in: 0..<3, using: &random)), "text"].randomElement(
                using: &random)
                ?? .null
        }
        var value: JSONValue = [:]
        for key in Self.keys where Bool.random(using: &random) { value[key.string] = self.value(levels - 1, &random) }
        if Int.random(in: 0..<4, using: &random) == 0 {
            value[".priority"] = .integer(Int.random(in: 0..<3, using: &random))
        }
        return value
    }

    private func path(_ random: inout SeededGenerator) -> TreePath {
        TreePath(
            (0..<Int.random(in: 0..<4, using: &random)).map { _ in
                Self.keys.randomElement(using: &random) ?? Self.keys[0]
            })
    }

    @Test("The state equals that after the real update, whatever is written and deleted")
    func random() throws {
        let run = RandomRun(rounds: 20_000)
        var random = SeededGenerator(seed: run.seed)
        var checked = 0
        for _ in 0..<run.rounds {
            let base = try JSONRulesTree(value(4, &random))
            let writes = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                RulesWrite(path(&random), value(2, &random))
            }
            guard (try? RulesAction.write(writes)) != nil else { continue }
            let updated = try UpdatedTree(writes, over: base)
            var made = base
            // Deletions follow the other writes: a node that is empty for a moment would lose its priority.
            let deletions = try writes.filter { try JSONRulesTree($0.value).value(at: .root) == .null }
            for write in writes.filter({ !deletions.contains($0) }) + deletions {
                try made.set(write.path.keys.map(\.string), to: write.value)
            }
            for _ in 0..<8 {
                let path = path(&random)
                #expect(
                    try updated.value(at: path) == made.value(at: path), "seed \(run.seed): \(base) \(writes) \(path)")
                #expect(
                    try Set(updated.childKeys(at: path)) == Set(made.childKeys(at: path)),
                    "seed \(run.seed): \(writes) \(path)")
                #expect(
                    try updated.priority(at: path) == made.priority(at: path),
                    "seed \(run.seed): \(base) \(writes) \(path)")
                checked += 1
            }
        }
        #expect(checked > run.rounds)
    }

    @Test(
        "A path that leads to no node has no value, and its parent is the node where it began",
        arguments: ["", "/a", "a//b", "a#"])
    func nowhere(path: String) throws {
        let root = RulesTreeNode(rootOf: try JSONRulesTree(["a": ["b": 1], ".priority": 1]))
        let node = try root.child("a").child(path)
        #expect(try !node.exists() && node.value() == .null && node.priority() == .null)
        #expect(try !node.child("b").exists())
        #expect(try node.parent()?.child("b").value() == .number(1))
        #expect(root.parent() == nil)
        try node.forEachChildKey { _ in
            Issue.record("there is no child")
            return true
        }
    }
}
