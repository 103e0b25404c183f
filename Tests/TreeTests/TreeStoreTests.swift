import Testing

@testable import Tree

/// The data model: the Realtime Database's rules about leaves, objects and empty nodes.
@Suite struct TreeStoreTests {
    struct Step: Sendable {
        let name: String
        var before: TreeValue?
        let path: TreePath
        var value: TreeValue?
        var after: TreeValue?
    }

    static let steps = [
        Step(name: "a leaf", path: "a", value: 1, after: ["a": 1]),
        Step(name: "a leaf at the root", before: ["a": 1], path: "", value: "x", after: "x"),
        Step(name: "below the leaf at the root", before: "x", path: "a/b", value: 1, after: ["a": ["b": 1]]),
        Step(name: "below a leaf", before: ["a": 1, "b": 2], path: "a/x", value: 3, after: ["a": ["x": 3], "b": 2]),
        Step(
            name: "far below a leaf", before: ["a": 1], path: "a/x/y/z", value: 3, after: ["a": ["x": ["y": ["z": 3]]]]),
        Step(name: "delete below a leaf", before: ["a": 1], path: "a/x", value: nil, after: ["a": 1]),
        Step(name: "an empty object below a leaf", before: ["a": 1], path: "a/x", value: [:], after: ["a": 1]),
        Step(name: "delete the last child", before: ["a": ["b": ["c": 1]]], path: "a/b/c", value: nil, after: nil),
        Step(
            name: "delete one of two", before: ["a": ["b": 1, "c": 2]], path: "a/b", value: nil, after: ["a": ["c": 2]]),
        Step(name: "delete what is not there", before: ["a": 1], path: "b/c", value: nil, after: ["a": 1]),
        Step(name: "an object for a leaf", before: ["a": 1], path: "a", value: ["b": 2], after: ["a": ["b": 2]]),
        Step(name: "a leaf for an object", before: ["a": ["b": 2]], path: "a", value: 1, after: ["a": 1]),
        Step(
            name: "an object for another", before: ["a": ["b": 2]], path: "a", value: ["c": 3], after: ["a": ["c": 3]]),
        Step(name: "an empty object", before: ["a": ["b": 2], "x": 1], path: "a", value: [:], after: ["x": 1]),
        Step(name: "empty objects inside", path: "a", value: ["b": ["c": [:]], "d": 1], after: ["a": ["d": 1]]),
        Step(
            name: "neighbours with a common prefix", before: ["a": 1, "ab": 2], path: "a", value: nil, after: ["ab": 2]),
        Step(name: "everything", before: ["a": 1, "b": 2], path: "", value: nil, after: nil),
        Step(name: "whole doubles are integers", path: "a", value: 1.0, after: ["a": 1]),
        Step(name: "empty text is a value", path: "a", value: "", after: ["a": ""]),
    ]

    @Test("a single write gives the expected tree", arguments: EngineKind.allCases)
    func writes(kind: EngineKind) async throws {
        for step in Self.steps {
            try await withStore(kind) { store throws in
                try await store.set(.root, to: step.before)
                try await store.set(step.path, to: step.value)
                #expect(try await store.get(.root) == step.after, "\(step.name)")
            }
        }
    }

    @Test("an update is applied whole", arguments: EngineKind.allCases)
    func update(kind: EngineKind) async throws {
        try await withStore(kind) { store throws in
            try await store.set("old", to: ["x": 1, "y": 2])
            let id = PushIDGenerator().next()
            var update = MultiPathUpdate()
            update["posts" / id] = ["text": "hello", "author": ["uid": "u1"]]
            update["feed/u1" / id] = true
            update["old/x"] = nil
            try await store.update(update)
            let tree = try await store.get(.root)
            #expect(tree?["posts"]?[id.key]?["author"]?["uid"] == "u1")
            #expect(tree?[path: "feed/u1"] == .object([id.key: true]))
            #expect(tree?["old"] == ["y": 2])
        }
    }

    @Test("an update with a path above another one is refused", arguments: EngineKind.allCases)
    func conflictingPaths(kind: EngineKind) async throws {
        let conflicts: [(TreePath, TreePath)] = [("a", "a/b"), ("", "a"), ("a/b/c/d", "a/b"), ("1", "1/2")]
        try await withStore(kind) { store throws in
            for (one, other) in conflicts {
                var update = MultiPathUpdate()
                update["a!"] = 1
                update[one] = 1
                update[other] = nil
                let error = await expectCode(.conflictingPaths) { try await store.update(update) }
                #expect(error?.path == (one.isAncestor(of: other) ? one : other))
            }
            #expect(try await store.get(.root) == nil)
        }
    }

    static let preconditions: [(Precondition, Bool)] = [
        (.exists("a"), true), (.exists("a/b"), true), (.exists("a/b/c"), false), (.exists("x"), false),
        (.exists(""), true), (.absent("x"), true), (.absent("a"), false), (.absent("a/b/c"), true),
        (.equals("a/b", 1), true), (.equals("a/b", 1.0), true), (.equals("a/b", "1"), false),
        (.equals("a", ["b": 1]), true),
        (.equals("a", ["b": 1, "c": [:]]), true), (.equals("a", nil), false), (.equals("x", nil), true),
        (.equals("x", [:]), true),
    ]

    @Test("one failed precondition refuses the whole update", arguments: EngineKind.allCases)
    func preconditions(kind: EngineKind) async throws {
        for (precondition, holds) in Self.preconditions {
            try await withStore(kind) { store throws in
                try await store.set("a/b", to: 1)
                var update = MultiPathUpdate(preconditions: [.exists("a"), precondition])
                update["new"] = 2
                update["a/b"] = nil
                if holds {
                    try await store.update(update)
                    #expect(try await store.get(.root) == ["new": 2], "\(precondition)")
                } else {
                    await expectCode(.preconditionFailed) { try await store.update(update) }
                    #expect(try await store.get(.root) == ["a": ["b": 1]], "\(precondition)")
                }
            }
        }
    }

    @Test("invalid values are refused")
    func refusedValues() async throws {
        let long = TreeValue.string(String(repeating: "é", count: TreeValue.maxStringBytes / 2) + "x")
        try await withStore(.memory) { store throws in
            for bad: Double in [.nan, .infinity, -.infinity] {
                let error = await expectCode(.invalidValue) { try await store.set("a", to: ["b": .double(bad)]) }
                #expect(error?.path == "a/b")
            }
            await expectCode(.tooLarge) { try await store.set("a", to: long) }
            await expectCode(.invalidValue) { try await store.set("a", to: 1, if: [.equals("b", .double(.nan))]) }
            #expect(try await store.get(.root) == nil)
        }
    }

    @Test("the longest string and the greatest numbers are read back unchanged", arguments: EngineKind.allCases)
    func extremes(kind: EngineKind) async throws {
        let values: [TreeValue] = [
            .string(String(repeating: "é", count: TreeValue.maxStringBytes / 2)), .integer(.min), .integer(.max),
            .double(.greatestFiniteMagnitude), .double(.leastNonzeroMagnitude), .double(-0.0), "\u{0}\u{FFFF}", false,
        ]
        try await withStore(kind) { store throws in
            for value in values {
                try await store.set("a", to: value)
                // A failed expectation describes its operands, which is slow with so much text.
                let isSame = try await store.get("a") == value
                #expect(isSame)
            }
        }
    }

    @Test("a page has the requested children in order, in both directions", arguments: EngineKind.allCases)
    func pages(kind: EngineKind) async throws {
        try await withStore(kind) { store throws in
            try await store.set("l", to: ["b": ["x": 1], "10": 4, "9": ["y": ["z": 2]], "a": 3])
            try await store.set("m", to: 5)
            #expect(try await store.keys(of: "l") == ["9", "10", "a", "b"])
            #expect(try await store.keys(of: "l", order: .descending, limit: 2) == ["b", "a"])
            #expect(try await store.keys(of: "l", range: .after("9"), limit: 2) == ["10", "a"])
            #expect(try await store.keys(of: "l", range: .before("a"), order: .descending) == ["10", "9"])
            #expect(try await store.keys(of: "l", range: .from("zz")) == [])
            let page = try await store.children(of: "l", range: .to("a"), order: .descending, limit: 2)
            #expect(page == [TreeChild(key: "a", value: 3), TreeChild(key: "10", value: 4)])
            #expect(try await store.children(of: "l", range: .from("9"), limit: 1).first?.value == ["y": ["z": 2]])
            #expect(try await store.children(of: "m") == [])
            #expect(try await store.keys(of: "m/x") == [])
            #expect(try await store.children(of: "l", limit: 0) == [])
            #expect(try await store.keys(of: "l", limit: -1) == [])
            #expect(try await store.keys(of: .root) == ["l", "m"])
        }
    }

    @Test("after close every call is refused", arguments: EngineKind.allCases)
    func closed(kind: EngineKind) async throws {
        try await withStore(kind) { store throws in
            await store.close()
            await store.close()
            await expectCode(.closed) { _ = try await store.get("a") }
            await expectCode(.closed) { try await store.set("a", to: 1) }
            await expectCode(.closed) { _ = try await store.subscribe(to: "a") }
            await expectCode(.closed) { _ = try await store.changes(since: .start, limit: 1) }
        }
    }
}
