import API
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("People are found by their names after any write")
struct PeopleTests {
    private func withTree(
        _ engine: any Engine = MemoryEngine(), _ body: (TreeStore, People) async throws -> Void
    ) async throws {
        let tree = try await TreeStore(
            engine: engine, derivations: SocialDerivations.strata, isMaintained: false, clock: { 1000 })
        try await body(tree, People(tree))
        await tree.close()
    }

    private func name(_ names: [String: String], in tree: TreeStore) async throws {
        for (uid, name) in names { try await tree.set(try TreePath("people/\(uid)/full_name"), to: .string(name)) }
    }

    /// Returns the ids of all found people, page by page; each page but the last is full.
    private func find(_ text: String, limit: Int = 20, _ people: People) async throws -> [String] {
        let prefix = try #require(NamePrefix(text))
        var (found, cursor): ([String], PeopleCursor?) = ([], nil)
        repeat {
            let page = try await people.search(prefix, after: cursor, limit: limit)
            found += page.people.map(\.uid.description)
            #expect(page.hasMore == (page.next != nil))
            if page.hasMore { #expect(page.people.count == limit) }
            cursor = try page.next.map { try #require(PeopleCursor($0.description)) }
        } while cursor != nil
        return found
    }

    @Test(
        "B17, 3: The beginning of the first word or of the last finds a name, in any case, with accents or without",
        arguments: [
            ("re", ["renee"]), ("RENÉE", ["renee"]), ("o'h", ["renee"]), ("o'hara ren", ["renee"]),
            ("renee o'hara", ["renee"]), ("  Renée   O'Hara ", ["renee"]), ("enee", []), ("hara", []),
            ("maria de", ["maria"]), ("santos de", ["maria"]), ("de", []), ("zed.zed", ["zed"]), ("ångström", ["ang"]),
            ("angstrom", ["ang"]), ("e", ["eve", "e2"]), ("12", ["num"]), ("x", []),
        ])
    func prefixes(text: String, expected: [String]) async throws {
        try await withTree { tree, people in
            try await name(
                [
                    "renee": "Renée O'Hara", "maria": "María de Santos", "zed": "zed zed", "ang": "Ångström",
                    "eve": "E",
                    "e2": "Eve", "num": "12",
                ], in: tree)
            #expect(try await find(text, people) == expected)
        }
    }

    @Test("B12, 4: Each of several people with one name is found in pages of any size", arguments: [1, 2, 3, 5, 20])
    func namesakes(limit: Int) async throws {
        try await withTree { tree, people in
            try await name(
                ["a": "Ann Lee", "b": "Ann Lee", "c": "ANN LÉE", "d": "Anna Ant", "e": "Lee Ann", "f": "Bob"], in: tree)
            #expect(try await find("ann", limit: limit, people) == ["a", "b", "c", "e", "d"])
            // A person found by both forms is listed once, at the first position.
            #expect(try await find("an", limit: limit, people).count == 5)
            #expect(try await find("lee", limit: limit, people) == ["a", "b", "c", "e"])
        }
    }

    @Test("A page reports exactly whether there are more, although the next people are read already")
    func exactEnd() async throws {
        try await withTree { tree, people in
            for number in 0..<450 { try await name(["u\(number)": "aa a\(number)"], in: tree) }
            let prefix = try #require(NamePrefix("a"))
            let page = try await people.search(prefix, after: nil, limit: 449)
            #expect(page.people.count == 449 && page.hasMore)
            let last = try await people.search(prefix, after: page.next, limit: 449)
            #expect(last.people.count == 1 && !last.hasMore)
            #expect(!(try await people.search(prefix, after: nil, limit: 450).hasMore))
            #expect(Set(try await find("a", limit: 7, people)).count == 450)
        }
    }

    @Test("2: A changed name is found, the old one is not, and a deleted person leaves no keys")
    func renamed() async throws {
        try await withTree { tree, people in
            try await tree.set("people/ann", to: ["full_name": "Ann Lee", "posts": ["p": true]])
            try await tree.set("people/ann/full_name", to: "Bo Lind")
            for old in ["ann", "lee"] { #expect(try await find(old, people) == []) }
            for new in ["bo", "lind"] { #expect(try await find(new, people) == ["ann"]) }
            try await tree.set("people/ann/full_name", to: 5)
            #expect(try await find("bo", people) == [])
            try await tree.set("people", to: ["ann": ["full_name": "Cy"], "bob": ["full_name": "Cyd"]])
            #expect(try await find("cy", people) == ["ann", "bob"])
            try await tree.set("people", to: nil)
            #expect(try await tree.get(PeopleNodes.name()) == nil)
        }
    }

    @Test("A name of any length and of strange characters does no harm")
    func strange() async throws {
        try await withTree { tree, people in
            let long = String(repeating: "é", count: 2000) + " x"
            try await name(["long": long, "signs": "./#$[]", "control": "a\u{1}\u{301}b", "empty": "  "], in: tree)
            #expect(try await find(String(repeating: "e", count: 300), people) == ["long"])
            #expect(try await find("x e", people) == ["long"])
            #expect(try await find("a", people) == ["control"])
            #expect(NamePrefix("./") == nil && NamePrefix(String(repeating: "e", count: 401)) == nil)
        }
    }

    @Test("5: A search reads only its page, however many posts the found people have, and however many others exist")
    func cost() async throws {
        func rows(posts: Int, others: Int) async throws -> Int {
            let engine = CountedEngine()
            var rows = 0
            try await withTree(engine) { tree, people in
                for uid in ["a", "b", "c"] {
                    var posts = Dictionary(
                        uniqueKeysWithValues: (0..<posts).map { (TreeKey(unchecked: "p\($0)"), TreeValue.bool(true)) })
                    posts["last"] = true
                    try await tree.set(
                        try TreePath("people/\(uid)"), to: ["full_name": "Ann Lee", "posts": .object(posts)])
                }
                for number in 0..<others { try await name(["u\(number)": "Anna \(number)"], in: tree) }
                engine.rows.store(0, ordering: .relaxed)
                let page = try await people.search(try #require(NamePrefix("ann")), after: nil, limit: 2)
                #expect(page.people.map(\.fullName) == ["Ann Lee", "Ann Lee"] && page.hasMore)
                rows = engine.rows.load(ordering: .relaxed)
            }
            return rows
        }
        let (few, many) = (try await rows(posts: 0, others: 0), try await rows(posts: 3000, others: 300))
        #expect(few == many && few < 20, "\(few), \(many)")
    }

    @Test("1: A profile is created and changed without changing the rest of the person's record")
    func profile() async throws {
        try await withTree { tree, people in
            let ann = try #require(UserID("ann"))
            #expect(try await people.profile(of: ann, for: nil) == nil)
            let made = try await people.change(ann, ProfileChange(["full_name": "Ann"], isWhole: true))
            #expect(made.isNew)
            let rest: TreeValue = ["posts": ["p": true], "following": ["bob": "p9"], "notificationEnabled": true]
            try await tree.set("posts/p", to: ["author": ["uid": "ann"], "text": "x", "timestamp": 1])
            for (key, value) in rest.object ?? [:] { try await tree.set("people/ann" / key, to: value) }
            let changed = try await people.change(
                ann,
                ProfileChange(["role": "speaker", "bio": "Two\nlines", "profile_picture": "/a.jpg"], isWhole: false))
            #expect(!changed.isNew)
            let whole = try await people.change(ann, ProfileChange(["full_name": "Anna", "bio": .null], isWhole: true))
            #expect(whole.token > changed.token)
            var expected = rest.object ?? [:]
            expected["full_name"] = "Anna"
            expected["_search_index"] = ["full_name": "anna", "reversed_full_name": "anna"]
            #expect(try await tree.get("people/ann") == .object(expected))
            let profile = try #require(try await people.profile(of: ann, for: nil))
            #expect(profile.counts == Profile.Counts(posts: 1, followers: 0, following: 1))
            #expect(profile.role == nil && profile.isFollowed == nil)
        }
    }

    @Test(
        "The tokens of a person's devices are stored where only the person reads them, however they are written",
        arguments: [
            ("people/ann/notificationTokens/t", true), ("people/ann/notificationTokens", ["t": true]),
            ("people/ann", ["full_name": "Ann", "notificationTokens": ["t": true]]),
            ("people", ["ann": ["notificationTokens": ["t": true]]]), ("notification_tokens/ann/t", true),
        ] as [(TreePath, TreeValue)])
    func deviceTokens(path: TreePath, value: TreeValue) async throws {
        try await withTree { tree, people in
            try await tree.set("people/ann/full_name", to: "Ann")
            try await tree.set(path, to: value)
            #expect(try await tree.get("people/ann/notificationTokens") == nil)
            #expect(try await tree.get("notification_tokens") == ["ann": ["t": true]])
            _ = try await PersonDeletion.begin(of: try #require(UserID("ann")), in: tree)
            try await FollowUpTaskWorker(tree, clock: { 1000 }, logger: Logger(label: "test")).runAll()
            #expect(try await tree.get("notification_tokens") == nil)
        }
    }

    @Test("Names that are older than the index are added to it, and unused keys are deleted")
    func repaired() async throws {
        let engine = MemoryEngine()
        let writer = try await TreeStore(engine: engine, isMaintained: false)
        try await writer.set("people", to: ["ann": ["full_name": "Ann Lee"], "bob": ["posts": ["p": true]]])
        for row in ["eve  eve", "ann  bob", "anna  ann", "junk"] {
            try await writer.set(PeopleNodes.name() / TreeKey(unchecked: row), to: true)
        }
        let tree = try await TreeStore(engine: engine, derivations: SocialDerivations.strata, isMaintained: false)
        let repair = SocialRepair(
            tree, version: TreePath(["social"], in: Namespace(reserved: "test")), logger: Logger(label: "test"))
        #expect(try await repair.faults().count >= 6)
        try await repair.run()
        #expect(try await tree.get(PeopleNodes.name()) == ["ann lee  ann": "lee ann", "lee ann  ann": "ann lee"])
        #expect(try await repair.faults() == [])
        await tree.close()
    }
}

/// An engine that counts the rows that are read from another one.
private final class CountedEngine: Engine {
    let rows = Atomic(0)
    private let base = MemoryEngine()
    var logBytes: Int { base.logBytes }

    func read<Result: Sendable>(
        _ size: ReadSize, _ body: @Sendable (any EngineSnapshot) throws(TreeError) -> Result
    ) async throws(TreeError) -> Result {
        try await base.read(size) { snapshot throws(TreeError) in
            try body(CountedRows(engine: self, base: snapshot))
        }
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any EngineTransaction) throws(TreeError) -> Result,
        committed: @escaping @Sendable (Result) -> Void
    ) async throws(TreeError) -> Result {
        try await base.write(body, committed: committed)
    }

    func close() async { await base.close() }

    private struct CountedRows: EngineSnapshot {
        let engine: CountedEngine
        let base: any EngineSnapshot

        func value(for key: [UInt8]) throws(TreeError) -> [UInt8]? {
            engine.rows.add(1, ordering: .relaxed)
            return try base.value(for: key)
        }

        func firstKey(in range: ByteRange, reverse: Bool) throws(TreeError) -> [UInt8]? {
            engine.rows.add(1, ordering: .relaxed)
            return try base.firstKey(in: range, reverse: reverse)
        }

        func scan(
            _ range: ByteRange, reverse: Bool, _ visit: (Span<UInt8>, Span<UInt8>) throws(TreeError) -> Bool
        ) throws(TreeError) {
            try base.scan(range, reverse: reverse) { key, value throws(TreeError) in
                engine.rows.add(1, ordering: .relaxed)
                return try visit(key, value)
            }
        }
    }
}
