import Synchronization
import TestSupport
import Testing

@testable import Tree

@Suite("Derivations that follow content see which nodes an update has changed")
struct ContentTests {
    /// Records the changed nodes in the service's own data.
    private struct Noted: Derivation {
        static let list = TreePath(["noted"], in: Namespace(reserved: "test"))
        let place = TreePattern("items/*")
        let followsContent: Bool

        func writes(for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot) -> [TreeWrite] {
            node.hasChanged ? [TreeWrite(path: Self.list / node.keys[0], value: true)] : []
        }
    }

    /// Copies a leaf into another node that is followed.
    private struct Copied: Derivation {
        let place = TreePattern("sources/*")

        func writes(for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot) -> [TreeWrite] {
            guard case .leaf(let leaf) = node.after else { return [] }
            return [TreeWrite(path: "items" / node.keys[0] / "copy", value: leaf)]
        }
    }

    private static let items: TreeValue = [
        "a": ["text": "x", "list": ["0": 1, "1": 2]], "ab": ["text": "x"], "b": ["text": "y", "copy": 1], "c": 5,
    ]

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let writes: [String: TreeValue?]
        /// The keys of the changed nodes.
        let changed: Set<TreeKey>

        init(_ name: String, _ writes: [String: TreeValue?], _ changed: Set<TreeKey>) {
            (testDescription, self.writes, self.changed) = (name, writes, changed)
        }
    }

    static let cases = [
        Case("a leaf", ["items/a/text": "z"], ["a"]),
        Case("a leaf far below", ["items/a/list/1": 3], ["a"]),
        Case("the same leaf", ["items/a/text": "x"], []),
        Case("the same leaf beside another node's change", ["items/a/text": "x", "items/b/text": "z"], ["b"]),
        Case("a new leaf", ["items/a/more": 1], ["a"]),
        Case("a deleted leaf", ["items/a/list/0": nil], ["a"]),
        Case("a missing leaf, deleted", ["items/a/none": nil], []),
        Case("a node, the same", ["items/a": ["text": "x", "list": ["0": 1, "1": 2]]], []),
        Case("a node, with less", ["items/a": ["text": "x"]], ["a"]),
        Case("a leaf in place of a node", ["items/b": "y"], ["b"]),
        Case("a node in place of a leaf", ["items/c": ["x": 1]], ["c"]),
        Case("a new node", ["items/d": ["x": 1]], ["d"]),
        Case("a deleted node", ["items/ab": nil], ["ab"]),
        Case("all, the same", ["items": items], []),
        Case("all, and something else", ["items": items, "other": 1], []),
        Case("everything, the same", ["": ["items": items]], []),
        Case(
            "all, with one changed, one new and one missing",
            ["items": ["a": ["text": "x", "list": ["0": 1, "1": 9]], "ab": ["text": "x"], "c": 5, "d": 1]],
            ["a", "b", "d"]),
        Case(
            "all, with a shorter first node", ["items": ["a": ["list": ["0": 1, "1": 2]], "c": 5]], ["a", "ab", "b"]),
        Case("all, deleted", ["items": nil], ["a", "ab", "b", "c"]),
        Case("a leaf above", ["items": 1], ["a", "ab", "b", "c"]),
        Case("a change by another derivation", ["sources/b": 2], ["b"]),
        Case("nothing new by another derivation", ["sources/b": 1], []),
        Case("a new node by another derivation", ["sources/e": 1], ["e"]),
    ]

    /// Returns the keys of the nodes that a derivation sees as changed, and of those that have appeared or disappeared.
    private func changes(
        _ example: Case, followsContent: Bool
    ) async throws -> (seen: Set<TreeKey>, appearing: Set<TreeKey>) {
        let strata: [[any Derivation]] = [[Copied()], [Noted(followsContent: followsContent)]]
        let store = try await TreeStore(engine: MemoryEngine(), derivations: strata, isMaintained: false)
        try await store.set("items", to: Self.items)
        try await store.set(Noted.list, to: nil)
        let before = Set(try await store.keys(of: "items"))
        var update = MultiPathUpdate()
        for (path, value) in example.writes { update[try TreePath(path)] = value }
        try await store.update(update)
        let (seen, after) = (Set(try await store.keys(of: Noted.list)), Set(try await store.keys(of: "items")))
        await store.close()
        return (seen, before.symmetricDifference(after))
    }

    @Test(arguments: cases)
    func changed(_ example: Case) async throws {
        #expect(try await changes(example, followsContent: true).seen == example.changed)
    }

    @Test("Other derivations see only that nodes appear and disappear", arguments: cases)
    func existence(_ example: Case) async throws {
        let (seen, appearing) = try await changes(example, followsContent: false)
        #expect(seen == appearing)
    }
}
