import API
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("Entities have the times of their creation and their last change, for every writer")
struct LifeTimesTests {
    /// A store whose clock the test sets.
    private final class World: Sendable {
        let engine = MemoryEngine()
        private let time = Mutex<Timestamp>(1000)

        func open(hasDerivations: Bool = true) async throws -> TreeStore {
            try await TreeStore(
                engine: engine, derivations: hasDerivations ? SocialDerivations.strata : [], isMaintained: false,
                clock: { self.time.withLock { $0 } })
        }

        func set(_ time: Timestamp) { self.time.withLock { $0 = time } }
    }

    private static let post: TreeValue = [
        "author": ["uid": "bob", "full_name": "Bob"], "text": "x", "timestamp": 7,
        "photos": ["0": ["width": 4, "renditions": ["small": ["url": "/s"]]]],
    ]

    private static func story(_ text: TreeValue, _ audiences: TreeValue) -> TreeValue {
        ["author": ["uid": "bob"], "text": text, "timestamp": 7, "audiences": audiences]
    }

    /// A tree with one entity of each kind, whose likes and follows exist.
    private static let data: TreeValue = [
        "posts": ["p": post],
        "audience_posts": ["q": story("y", ["c": true])],
        "comments": ["p": ["k": ["author": ["uid": "ann"], "text": "x", "timestamp": 7]]],
        "people": ["ann": ["full_name": "Ann", "following": ["bob": true]], "bob": ["full_name": "Bob"]],
        "audiences": [
            "c": ["name": "7b", "kind": "class", "members": ["ann": "owner", "bob": "reader"]],
            "d": ["name": "8b", "kind": "class", "members": ["eve": "owner"]],
        ],
        "likes": ["p": ["ann": 7]],
        "blocking": ["ann": ["eve": true]],
        "announcements": ["n": ["text": "x", "timestamp": 7]],
    ]

    private static let times = TreePath(["times"], in: .social)

    /// Returns all times by their paths below `times`; those of likes at `liked/…`.
    private func times(in tree: TreeStore) async throws -> [String: String] {
        var found: [String: String] = [:]
        func add(_ value: TreeValue?, at path: String) {
            guard let object = value?.object else {
                found[path] = value?.stringValue
                return
            }
            for (key, child) in object { add(child, at: path.isEmpty ? key.string : "\(path)/\(key)") }
        }
        add(try await tree.get(Self.times), at: "")
        add(try await tree.get(ReactionNodes.liked()), at: "liked")
        return found
    }

    private static let created = Dictionary(
        uniqueKeysWithValues: [
            "posts/p", "audience_posts/q", "comments/p/k", "people/ann", "people/bob", "audiences/c", "members/c/ann",
            "members/c/bob", "following/ann/bob", "blocking/ann/eve", "announcements/n", "liked/ann/p",
            "audiences/d", "members/d/eve",
        ].map { ($0, "1000") })

    private func withData(_ body: (TreeStore, World) async throws -> Void) async throws {
        let world = World()
        let tree = try await world.open()
        var update = MultiPathUpdate()
        for (root, value) in Self.data.object ?? [:] { update[TreePath([root])] = value }
        try await tree.update(update)
        try await body(tree, world)
        let repair = SocialRepair(
            tree, version: TreePath(["version"], in: Namespace(reserved: "test")), logger: Logger(label: "test"))
        #expect(try await repair.faults() == [])
        await tree.close()
    }

    // MARK: Changes

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let writes: [String: TreeValue?]
        /// The expected times that differ from those before; nil for none.
        let changes: [String: String?]

        init(_ name: String, _ writes: [String: TreeValue?], _ changes: [String: String?]) {
            (testDescription, self.writes, self.changes) = (name, writes, changes)
        }
    }

    static let cases = [
        Case("a post's text", ["posts/p/text": "z"], ["posts/p": "1000 2000"]),
        Case("a post's rendition", ["posts/p/photos/0/renditions/small/url": "/t"], ["posts/p": "1000 2000"]),
        Case("a post's author's name", ["posts/p/author/full_name": "Rob"], ["posts/p": "1000 2000"]),
        Case("a post's text, the same", ["posts/p/text": "x"], [:]),
        Case("a whole post, the same", ["posts/p": post], [:]),
        Case(
            "a whole post, changed", ["posts/p": ["author": ["uid": "bob"], "timestamp": 7]], ["posts/p": "1000 2000"]),
        Case("another post", ["posts/r": post], ["posts/r": "2000"]),
        Case("no post any more", ["audience_posts/q": nil], ["audience_posts/q": nil]),
        Case("a post for audiences", ["audience_posts/q/text": "z"], ["audience_posts/q": "1000 2000"]),
        Case("its author's name", ["audience_posts/q/author/full_name": "Rob"], ["audience_posts/q": "1000 2000"]),
        Case("a whole one, changed", ["audience_posts/q": story("z", ["c": true])], ["audience_posts/q": "1000 2000"]),
        Case("another audience of it, which is not for readers", ["audience_posts/q/audiences/d": true], [:]),
        Case("a whole one, with another audience", ["audience_posts/q": story("y", ["c": true, "d": true])], [:]),
        Case("another one", ["audience_posts/r": story("y", ["c": true])], ["audience_posts/r": "2000"]),
        Case("a like", ["likes/p/bob": 9], ["liked/bob/p": "2000"]),
        Case("a like of another time", ["likes/p/ann": 9], ["liked/ann/p": "1000 2000"]),
        Case("the same like", ["likes/p/ann": 7], [:]),
        Case("no like any more", ["likes/p/ann": nil], ["liked/ann/p": nil]),
        Case("a comment", ["comments/p/l": ["author": ["uid": "bob"], "text": "x"]], ["comments/p/l": "2000"]),
        Case("a comment's text", ["comments/p/k/text": "z"], ["comments/p/k": "1000 2000"]),
        Case("a name", ["people/ann/full_name": "Anna"], ["people/ann": "1000 2000"]),
        Case("a whole person, the same", ["people/ann": ["full_name": "Ann", "following": ["bob": true]]], [:]),
        Case(
            "a whole person, with a role",
            ["people/ann": ["full_name": "Ann", "role": "x", "following": ["bob": true]]],
            ["people/ann": "1000 2000"]),
        Case(
            "a whole person, without a follow", ["people/ann": ["full_name": "Ann"]], ["following/ann/bob": nil]),
        Case("a mark of a follow", ["people/ann/following/bob": "p"], [:]),
        Case(
            "a follow from the other side", ["followers/ann/bob": true], ["following/bob/ann": "2000"]),
        Case(
            "a new person with several fields", ["people/cat": ["full_name": "C", "bio": "x"]], ["people/cat": "2000"]),
        Case(
            "no person any more", ["people/ann": nil], ["people/ann": nil, "following/ann/bob": nil]),
        Case(
            "a block, which ends a follow", ["blocking/bob/ann": true],
            ["blocking/bob/ann": "2000", "following/ann/bob": nil]),
        Case("an audience's name", ["audiences/c/name": "8b"], ["audiences/c": "1000 2000"]),
        Case(
            "a member's role", ["audiences/c/members/bob": "poster"],
            ["members/c/bob": "1000 2000"]),
        Case(
            "all members, one of them new",
            ["audiences/c/members": ["ann": "owner", "bob": "reader", "cat": "reader"]],
            ["members/c/cat": "2000"]),
        Case("an announcement's text", ["announcements/n/text": "z"], ["announcements/n": "1000 2000"]),
        Case(
            "several paths",
            ["posts/p/text": "z", "people/bob/bio": "x", "comments/p/k/text": "x", "audiences/c/name": "7b"],
            ["posts/p": "1000 2000", "people/bob": "1000 2000"]),
        Case("all posts, the same", ["posts": ["p": post]], [:]),
        Case("all posts, and one more", ["posts": ["p": post, "r": post]], ["posts/r": "2000"]),
    ]

    @Test(arguments: cases)
    func changes(_ example: Case) async throws {
        try await withData { tree, world in
            #expect(try await times(in: tree) == Self.created)
            world.set(2000)
            var update = MultiPathUpdate()
            for (path, value) in example.writes { update[try TreePath(path)] = value }
            try await tree.update(update)
            var expected = Self.created
            for (path, value) in example.changes { expected[path] = value }
            #expect(try await times(in: tree) == expected)
        }
    }

    @Test("The import of a tree creates all entities; importing it again changes none")
    func imported() async throws {
        try await withData { tree, world in
            let whole = try await tree.get(.root)
            world.set(2000)
            try await tree.set(.root, to: whole)
            #expect(try await times(in: tree) == Self.created)
            try await tree.set(.root, to: nil)
            #expect(try await times(in: tree) == [:])
            // The id of a deleted audience is never used again.
            var (data, expected) = (Self.data.object ?? [:], Self.created.mapValues { _ in "2000" })
            for root in ["audiences", "audience_posts"] as [TreeKey] { data[root] = nil }
            for root in ["audiences/", "members/", "audience_posts/"] {
                expected = expected.filter { !$0.key.hasPrefix(root) }
            }
            try await tree.set(.root, to: .object(data))
            #expect(try await times(in: tree) == expected)
        }
    }

    @Test("A post with the id of a deleted one gets new times")
    func again() async throws {
        try await withData { tree, world in
            world.set(2000)
            try await tree.set("posts/p", to: nil)
            world.set(3000)
            try await tree.set("posts/p", to: Self.post)
            #expect(try await times(in: tree)["posts/p"] == "3000")
        }
    }

    @Test("Work of the service that notifies nobody counts as a change")
    func byService() async throws {
        try await withData { tree, world in
            world.set(2000)
            var update = MultiPathUpdate()
            update["posts/p/photos/0/renditions/small/url"] = "/new"
            update.scope = .repair
            try await tree.update(update)
            #expect(try await times(in: tree)["posts/p"] == "1000 2000")
        }
    }

    // MARK: Notifications

    @Test("A notification has the time of its cause, and changes when it is read; a like writes no row for its times")
    func notifications() async throws {
        try await withData { tree, world in
            let bob = try #require(UserID("bob"))
            world.set(2000)
            try await tree.set("likes/p/cat", to: 5)
            let list = Notifications(tree, clock: { 2000 })
            func shown() async throws -> [[Int64?]] {
                // The announcement is among them, too.
                try await list.page(of: bob, before: nil, limit: 9).document.notifications
                    .filter { $0.kind == NotificationKind.like.rawValue }.map { [$0.created, $0.updated] }
            }
            var expected = Self.created
            expected["liked/cat/p"] = "2000"
            #expect(try await times(in: tree) == expected)
            #expect(try await shown() == [[2000, 2000]])
            world.set(3000)
            _ = try await list.markRead(.all, by: bob)
            #expect(try await shown() == [[2000, 3000]])
            try await tree.set("likes/p/cat", to: nil)
            #expect(try await times(in: tree) == Self.created)
        }
    }

    // MARK: Older data

    @Test("Data without times have those of their records, until a change")
    func older() async throws {
        let world = World()
        // The engine keeps its data only while it is open.
        let old = try await world.open(hasDerivations: false)
        try await old.set(.root, to: Self.data)
        let tree = try await world.open()
        let version = TreePath(["version"], in: Namespace(reserved: "test"))
        try await SocialRepair(tree, version: version, logger: Logger(label: "test")).run()
        let ann = try #require(UserID("ann"))
        let kept = try await times(in: tree).filter { !$0.key.hasPrefix("liked") }
        #expect(kept == [:])
        func ofPost() async throws -> [Int64?] {
            let times = try await tree.snapshot { snapshot in
                let record = try snapshot.get("posts/p") ?? true
                return try PostPage.Item(id: "p", record: record, position: nil, in: snapshot).times
            }
            return [times.created?.milliseconds, times.updated?.milliseconds]
        }
        #expect(try await ofPost() == [7, 7])
        #expect(try await People(tree).profile(of: ann, for: nil)?.times == .unknown)
        world.set(2000)
        try await tree.set("posts/p/text", to: "z")
        try await tree.set("people/ann/bio", to: "z")
        #expect(try await ofPost() == [7, 2000])
        let person = try await People(tree).profile(of: ann, for: nil)?.times
        #expect(person?.created == nil && person?.updated == 2000)
        await tree.close()
    }

    // MARK: Damage

    @Test("Times without an entity, and values that are no times, are faults, and are removed; missing times are none")
    func damage() async throws {
        try await withData { tree, _ in
            let damage: [TreePath: TreeValue?] = [
                TimeNodes.post() / "gone": "1000", TimeNodes.comment() / "p" / "gone": "1000",
                TimeNodes.person() / "bob": "never", TimeNodes.member() / "c" / "ann": nil,
            ]
            var update = MultiPathUpdate()
            for (path, value) in damage { update[path] = value }
            update.scope = .none
            try await tree.update(update)
            let version = TreePath(["version"], in: Namespace(reserved: "test"))
            let repair = SocialRepair(tree, version: version, logger: Logger(label: "test"))
            let faults = try await repair.faults()
            #expect(Set(faults) == Set(damage.filter { $0.value != nil }.keys))
            try await repair.run()
            var expected = Self.created
            for path in ["people/bob", "members/c/ann"] { expected[path] = nil }
            #expect(try await times(in: tree) == expected)
        }
    }
}
