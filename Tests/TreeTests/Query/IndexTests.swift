import TestSupport
import Testing

@testable import Tree

/// The entries of indexes are exactly those that the data requires, whatever is written and whenever the rules change.
@Suite(.timeLimit(.minutes(20))) struct IndexTests {
    static let rules = [
        #"{ "rules": { ".indexOn": "a", "a": { ".indexOn": [".value", "b"], "$x": { ".indexOn": "0/a" } } } }"#,
        #"{ "rules": { "$any": { ".indexOn": ["a", ["a", "b"]], "b": { ".indexOn": ".value" } } } }"#,
        #"{ "rules": { "a": { "$x": { "$y": { ".indexOn": ["b", "a/b"] } }, ".indexOn": "b" } } }"#,
        #"{ "rules": { "$any": { ".indexOn": "a", "$x": { ".indexOn": ".value" } }, "b": { ".indexOn": "b" } } }"#,
        #"{ "rules": {} }"#,
    ]

    @Test("entries are right after each of thousands of random operations", arguments: EngineKind.allCases)
    func entriesAreRight(kind: EngineKind) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var naive = NaiveTree()
        try await withEngine(kind) { engine in
            let store = try await TreeStore(engine: engine, isMaintained: false)
            for step in 0..<3000 {
                switch Int.random(in: 0..<100, using: &random) {
                case 0: try await store.setRules(Self.rules.randomElement(using: &random) ?? "")
                case 1...4: _ = try await store.maintenance.pass()
                case 5...20: try await update(store, &naive, &random)
                default:
                    let path = random.chance(2) ? .root : random.path() / random.key()
                    let value = random.chance(25) ? nil : random.value()
                    try await store.set(path, to: value)
                    naive.set(path, to: value)
                }
                try await expectEntries(of: engine, toBeOf: naive, "seed \(seed), step \(step)")
            }
        }
    }

    private func update(
        _ store: TreeStore, _ naive: inout NaiveTree, _ random: inout SeededGenerator
    ) async throws {
        var update = MultiPathUpdate()
        for _ in 0..<3 { update[random.path() / random.key()] = random.optionalValue() }
        guard !update.hasConflictingPaths else { return }
        try await store.update(update)
        for (path, value) in update.values { naive.set(path, to: value) }
    }

    private func expectEntries(of engine: any Engine, toBeOf naive: NaiveTree, _ hint: Comment) async throws {
        let (indexes, entries) = try await engine.read { snapshot throws(TreeError) in
            let row = try snapshot.value(for: RulesCatalog.key(of: .main)) ?? Array(repeating: 0, count: 16)
            return (try RulesCatalog(row: row.span).indexes, try snapshot.keys(in: 0x12))
        }
        var left = Set(entries)
        for index in indexes {
            let found = left.filter { $0.starts(with: index.prefix(tree: [StoreFormat.mainKeyspace])) }
            left.subtract(found)
            let expected = naive.entries(of: index)
            // The sets themselves would fill the screen if the expectation failed.
            let isRight =
                switch index.state {
                case .ready: found == expected
                case .building: found.isSubset(of: expected)
                case .dropped: true
                }
            try #require(isRight, hint)
        }
        try #require(left.isEmpty, hint)
    }

    @Test(
        "an index is built during writes, and by the next store if the first one ends",
        arguments: EngineKind.allCases)
    func building(kind: EngineKind) async throws {
        try await withEngine(kind) { engine in
            let first = try await TreeStore(engine: engine, isMaintained: false)
            var list: [TreeKey: TreeValue] = [:]
            for number in 0..<2000 { list[TreeKey(unchecked: "k\(number)")] = ["n": .integer(Int64(number % 100))] }
            try await first.set("list", to: .object(list))
            try await first.setRules(#"{ "rules": { "list": { ".indexOn": "n" } } }"#)
            #expect(try await first.maintenance.pass() == .work)
            #expect(try await first.isIndexReady == false)

            // Another store on the same data continues in the background, while writers write.
            let second = try await TreeStore(engine: engine)
            var random = SeededGenerator(seed: 1)
            var writes = 0
            while try await second.isIndexReady == false || writes < 200 {
                let key = TreeKey(unchecked: "k\(Int.random(in: 0..<2200, using: &random))")
                let value: TreeValue? = random.chance(20) ? nil : ["n": .integer(Int64(random.chance(50) ? 7 : 500))]
                try await second.set("list" / key, to: value)
                list[key] = value
                writes += 1
                let sevens = list.filter { $0.value["n"] == 7 }.keys.sorted()
                let query = try TreeQuery(order: .child("n"), equalTo: .init(7))
                try await second.snapshot { snapshot throws in
                    #expect(try snapshot.children(of: "list", matching: query).map(\.key) == sevens)
                }
            }
            let query = try TreeQuery(order: .child("n"))
            let expected = query.children(of: .object(list)).map(\.key)
            try await second.snapshot { snapshot throws in
                #expect(try snapshot.children(of: "list", matching: query).map(\.key) == expected)
            }
            await second.maintenance.stop()
        }
    }

    @Test("the building of an index continues when the file is opened again")
    func reopening() async throws {
        try await withScratchFolder { folder in
            let children = (0..<1500).map { (TreeKey(unchecked: "k\($0)"), TreeValue.integer(Int64($0))) }
            let list = TreeValue.object(Dictionary(uniqueKeysWithValues: children))
            let query = try TreeQuery(order: .value, from: .init(1000), limit: .first(3))
            for opening in 0..<4 {
                let engine = try SQLiteEngine(path: folder + "/tree.sqlite")
                let store = try await TreeStore(engine: engine, isMaintained: false)
                if opening == 0 {
                    try await store.set("list", to: list)
                    try await store.setRules(#"{ "rules": { "$any": { ".indexOn": ".value" } } }"#)
                }
                let entries = try await engine.read { snapshot throws(TreeError) in try snapshot.keys(in: 0x12).count }
                #expect(entries == min(opening * IndexBatch.maxSteps, 1500))
                #expect(try await store.isIndexReady == (opening == 3))
                try await store.snapshot { snapshot throws in
                    #expect(
                        try snapshot.children(of: "list", matching: query).map(\.key) == ["k1000", "k1001", "k1002"])
                }
                _ = try await store.maintenance.pass()
                await store.close()
            }
        }
    }

    @Test("new rules wake the background task, more than once", arguments: EngineKind.allCases)
    func waking(kind: EngineKind) async throws {
        try await withStore(kind) { store in
            try await store.set("list/x", to: ["a": 1, "b": 2])
            for name in ["a", "b", "a"] {
                try await store.setRules("{ \"rules\": { \"list\": { \".indexOn\": \"\(name)\" } } }")
                while try await store.isIndexReady == false { try await Task.sleep(for: .milliseconds(1)) }
            }
            await store.close()
            await expectCode(.closed) { try await store.setRules("{ \"rules\": {} }") }
        }
    }

    @Test("the entries of an index that is no longer in the rules are removed, and those of other indexes stay")
    func dropping() async throws {
        try await withEngine(.memory) { engine in
            let store = try await TreeStore(engine: engine, isMaintained: false)
            for number in 0..<1200 { try await store.set("list" / TreeKey(unchecked: "k\(number)"), to: ["a": 1]) }
            try await store.setRules(#"{ "rules": { "list": { ".indexOn": ["a", "b"] } } }"#)
            try await store.finishMaintenance()
            try await store.setRules(#"{ "rules": { "list": { ".indexOn": "b" } } }"#)
            let query = try TreeQuery(order: .child("a"), limit: .first(1))
            let error = await #expect(throws: TreeError.self) {
                try await store.snapshot { _ = try $0.children(of: "list", matching: query) }
            }
            #expect(error?.code == .indexNotDefined)
            #expect(try await store.maintenance.pass() == .work)
            let left = try await engine.read { snapshot throws(TreeError) in try snapshot.keys(in: 0x12).count }
            #expect(left == 2400 - IndexBatch.maxSteps)
            try await store.finishMaintenance()
            let rest = try await engine.read { snapshot throws(TreeError) in try snapshot.keys(in: 0x12).count }
            #expect(rest == 1200)
        }
    }

    @Test("trees without rules have no entries, and trees with the same rules have separate ones")
    func namespaces() async throws {
        try await withEngine(.memory) { engine in
            let store = try await TreeStore(engine: engine, isMaintained: false)
            let (one, two) = (try Namespace("one"), try Namespace("two"))
            try await store.setRules(#"{ "rules": { "list": { ".indexOn": "a" } } }"#, of: one)
            for namespace in [Namespace.main, one, two] {
                try await store.set(TreePath(["list", "x"], in: namespace), to: ["a": 1])
            }
            try await store.finishMaintenance()
            let count = try await engine.read { snapshot throws(TreeError) in try snapshot.keys(in: 0x12).count }
            #expect(count == 1)
            let query = try TreeQuery(order: .child("a"), equalTo: .init(1))
            try await store.snapshot { snapshot throws in
                #expect(try snapshot.count(of: TreePath(["list"], in: one), matching: query) == 1)
                #expect(throws: TreeError.self) {
                    _ = try snapshot.count(of: TreePath(["list"], in: two), matching: query)
                }
                #expect(throws: TreeError.self) { _ = try snapshot.count(of: "list", matching: query) }
            }
            #expect(try await store.rules(of: two) == nil)
        }
    }
}

extension TreeStore {
    /// Whether the only index of the main tree is ready.
    fileprivate var isIndexReady: Bool {
        get async throws {
            try await engine.read { snapshot throws(TreeError) in
                let row = try snapshot.value(for: RulesCatalog.key(of: .main)) ?? Array(repeating: 0, count: 16)
                return try RulesCatalog(row: row.span).indexes.map(\.state) == [.ready]
            }
        }
    }
}

extension EngineSnapshot {
    /// Returns all keys of a keyspace.
    func keys(in keyspace: UInt8) throws(TreeError) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        try scan(ByteRange(from: [keyspace], upTo: [keyspace + 1]), reverse: false) { key, _ in
            keys.append(key.copied)
            return true
        }
        return keys
    }
}

extension NaiveTree {
    /// Returns the entries that an index of this tree should have, from the whole value.
    func entries(of index: Index) -> Set<[UInt8]> {
        var entries: Set<[UInt8]> = []
        collect(index, value, at: [], index.parents.elements[...], into: &entries)
        return entries
    }

    private func collect(
        _ index: Index, _ node: TreeValue?, at path: [UInt8], _ pattern: ArraySlice<PathPattern.Element>,
        into entries: inout Set<[UInt8]>
    ) {
        for (key, child) in node?.object ?? [:] {
            var segment: [UInt8] = []
            PathEncoding.append(key, to: &segment)
            switch pattern.first {
            case nil:
                var entry = index.prefix(tree: [StoreFormat.mainKeyspace]) + path + [1]
                for value in values(of: child, by: index.order) { Self.append(value, to: &entry) }
                entries.insert(entry + segment)
            case .any?, .segment(segment)?:
                collect(index, child, at: path + segment, pattern.dropFirst(), into: &entries)
            default: break
            }
        }
    }

    private func values(of child: TreeValue, by order: ChildOrder) -> [TreeValue?] {
        guard case .children(let paths) = order else { return [child] }
        return paths.map { path in (try? PathEncoding.decodeKeys(path.span)).flatMap { child[path: TreePath($0)] } }
    }

    private static func append(_ value: TreeValue?, to entry: inout [UInt8]) {
        guard let value else { return OrderedValue.appendNull(to: &entry) }
        guard let leaf = LeafEncoding.encode(NaiveTree.canonical(value)) else {
            return OrderedValue.appendObject(to: &entry)
        }
        do {
            try OrderedValue.append(leaf: leaf.span, to: &entry)
        } catch {
            Issue.record(error)
        }
    }

    private static func canonical(_ value: TreeValue) -> TreeValue { (try? value.normalised()) ?? value }
}
