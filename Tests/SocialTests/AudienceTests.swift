import Logging
import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("Audiences, and the stories of their posts")
struct AudienceTests {
    /// Runs a body with a store with a class: Ann is an owner, Bob a poster, Cem a reader.
    private func withClass(_ body: (TreeStore, FollowUpTaskWorker) async throws -> Void) async throws {
        let tree = try await TreeStore(
            engine: MemoryEngine(), derivations: SocialDerivations.strata, constraints: SocialDerivations.constraints,
            isMaintained: false, clock: { 1000 })
        try await tree.set(
            "audiences/c",
            to: ["name": "7b", "kind": "class", "members": ["ann": "owner", "bob": "poster", "cem": "reader"]])
        try await tree.set("audiences/s", to: ["name": "S", "kind": "school", "members": ["ann": "poster"]])
        try await body(tree, FollowUpTaskWorker(tree, clock: { 1000 }, logger: Logger(label: "test")))
        #expect(try await SocialRepair(tree, version: "v", logger: Logger(label: "test")).faults() == [])
        await tree.close()
    }

    private func post(by uid: String, for audiences: [String], _ text: String = "x") -> TreeValue {
        let named = audiences.map { (TreeKey(unchecked: $0), TreeValue.bool(true)) }
        return [
            "timestamp": 1, "text": .string(text), "author": ["uid": .string(uid), "full_name": .string(uid)],
            "audiences": .object(Dictionary(uniqueKeysWithValues: named)),
        ]
    }

    private func copy(by uid: String, _ text: String = "x") -> TreeValue {
        ["timestamp": 1, "text": .string(text), "author": ["uid": .string(uid), "full_name": .string(uid)]]
    }

    /// Returns the copies at a path of stories, without their times of publication.
    private func copies(_ tree: TreeStore, _ path: TreePath = "stories") async throws -> TreeValue? {
        func stripped(_ value: TreeValue) -> TreeValue {
            guard var fields = value.object else { return value }
            fields["published"] = nil
            return .object(fields.mapValues(stripped))
        }
        return try await tree.get(path).map(stripped)
    }

    /// Returns the ids of a story in the order of publication, the newest first.
    private func story(_ audience: String, _ tree: TreeStore) async throws -> [String] {
        let list = AudienceNodes.published(try #require(AudienceID(audience)))
        return try await tree.children(of: list, order: .descending).compactMap(\.value.stringValue)
    }

    @Test("Memberships are stored on both sides after any write, and only authorized clients may write them")
    func memberships() async throws {
        try await withClass { tree, _ in
            #expect(
                try await tree.get("memberships") == [
                    "ann": ["c": "owner", "s": "poster"], "bob": ["c": "poster"], "cem": ["c": "reader"],
                ])
            try await tree.set("audiences/c/members/bob", to: "reader")
            try await tree.set("audiences/c/members/cem", to: nil)
            try await tree.set("memberships/eve/c", to: "owner")
            try await tree.set("memberships/ann", to: nil)
            try await tree.set("audiences/s", to: nil)
            #expect(try await tree.get("memberships") == ["ann": ["c": "owner"], "bob": ["c": "reader"]])
        }
    }

    @Test("The last owner cannot be removed in any way; with another owner they may leave")
    func lastOwner() async throws {
        try await withClass { tree, _ in
            for value in [nil, "reader"] as [TreeValue?] {
                try await tree.set("audiences/c/members/ann", to: value)
                #expect(try await tree.get("audiences/c/members/ann") == "owner")
                #expect(try await tree.get("memberships/ann/c") == "owner")
            }
            try await tree.set("audiences/c/members", to: ["bob": "reader"])
            #expect(try await tree.get("audiences/c/members") == ["ann": "owner", "bob": "reader"])
            try await tree.set("audiences/c/members", to: ["bob": "owner"])
            #expect(try await tree.get("memberships") == ["ann": ["s": "poster"], "bob": ["c": "owner"]])
            try await tree.set("audiences/c", to: nil)
            #expect(try await tree.get("audiences/c") == nil)
        }
    }

    @Test("C1: A post is added to all its audiences in one commit, and changes and ends with it")
    func copies() async throws {
        try await withClass { tree, _ in
            try await tree.set("audience_posts/p", to: post(by: "ann", for: ["c", "s"]))
            #expect(try await copies(tree) == ["c": ["p": copy(by: "ann")], "s": ["p": copy(by: "ann")]])
            try await tree.set("audience_posts/p/text", to: "y")
            #expect(try await copies(tree, "stories/s/p") == copy(by: "ann", "y"))
            try await tree.set("audience_posts/p/audiences/s", to: nil)
            #expect(try await copies(tree) == ["c": ["p": copy(by: "ann", "y")]])
            #expect(try await story("s", tree) == [])
            try await tree.set("audience_posts/p", to: nil)
            #expect(try await tree.get("stories") == nil)
            #expect(try await tree.get(TreePath(["stories"], in: .social)) == nil)
            #expect(try await tree.get(TreePath(["story_positions"], in: .social)) == nil)
            #expect(try await tree.get(TreePath(["audience_posts"], in: .social)) == nil)
        }
    }

    @Test("A story is in the order in which its posts were added")
    func order() async throws {
        try await withClass { tree, _ in
            var update = MultiPathUpdate()
            for id in ["b", "a"] { update["audience_posts" / TreeKey(unchecked: id)] = post(by: "ann", for: ["c"]) }
            try await tree.update(update)
            try await tree.set("audience_posts/0", to: post(by: "ann", for: ["s"]))
            try await tree.set("audience_posts/1", to: post(by: "ann", for: ["c", "s"]))
            try await tree.set("audience_posts/0/audiences/c", to: true)
            #expect(try await story("c", tree) == ["0", "1", "b", "a"])
            #expect(try await story("s", tree) == ["1", "0"])
        }
    }

    @Test("Forged or missing entries of a story are repaired")
    func restored() async throws {
        try await withClass { tree, _ in
            try await tree.set("audience_posts/p", to: post(by: "ann", for: ["c"]))
            let writes: [(TreePath, TreeValue?)] = [
                ("stories/c/p", nil), ("stories/c/p/text", "z"), ("stories/c/q", copy(by: "eve")),
                ("stories/x/p", copy(by: "ann")), ("stories", nil), ("stories/c/p/audiences", ["s": true]),
            ]
            for (path, value) in writes {
                try await tree.set(path, to: value)
                #expect(try await copies(tree) == ["c": ["p": copy(by: "ann")]], "\(path)")
            }
        }
    }

    @Test("Malformed audiences of a client's post are ignored, and only the first twenty are used")
    func hostile() async throws {
        try await withClass { tree, _ in
            var record = post(by: "ann", for: (10..<40).map { "a\($0)" })
            try await tree.set("audience_posts/p", to: record)
            #expect(try await tree.get("stories")?.object?.count == 20)
            #expect(try await tree.get("stories/a29/p") != nil)
            #expect(try await tree.get("stories/a30/p") == nil)
            record = copy(by: "ann")
            try await tree.set("audience_posts/q", to: record)
            for value in ["x", 5, ["c": false, "s": "yes", "ü": true, "a b": true]] as [TreeValue] {
                try await tree.set("audience_posts/q/audiences", to: value)
                #expect(try await tree.get("stories/c") == nil)
            }
            try await tree.set("audience_posts/r", to: "leaf")
            try await tree.set("audience_posts/s/audiences/c", to: true)
            try await tree.set("audience_posts/p", to: nil)
            #expect(try await tree.get("stories") == nil)
        }
    }

    @Test("An import of everything at once yields the exported data")
    func imported() async throws {
        try await withClass { tree, _ in
            for id in ["p", "q"] {
                try await tree.set("audience_posts" / TreeKey(unchecked: id), to: post(by: "ann", for: ["c", "s"]))
            }
            let all = try #require(await tree.get(.root))
            try await tree.set(.root, to: nil)
            try await tree.set(.root, to: all)
            #expect(try await tree.get(.root) == all)
            #expect(try await story("c", tree) == ["q", "p"])
        }
    }

    @Test("A deleted audience has no members at once, and its id is not used again")
    func deletedAudience() async throws {
        try await withClass { tree, worker in
            for number in 10..<70 {
                let audiences = number % 2 == 0 ? ["c"] : ["c", "s"]
                try await tree.set(
                    "audience_posts" / TreeKey(unchecked: "p\(number)"), to: post(by: "ann", for: audiences))
            }
            try await tree.set("audiences/c", to: nil)
            #expect(try await tree.get("memberships") == ["ann": ["s": "poster"]])
            let mallorys: TreeValue = ["name": "7b", "kind": "class", "members": ["eve": "owner"]]
            await #expect(throws: TreeError.self, "its creator would see the remains") {
                try await tree.set("audiences/c", to: mallorys)
            }
            #expect(try await tree.get("memberships/eve") == nil)
            try await worker.runAll()
            #expect(try await tree.get("audience_posts")?.object?.count == 30)
            #expect(try await story("s", tree).count == 30)
            #expect(try await story("c", tree) == [])
            await #expect(throws: TreeError.self, "its creator would pass for the former owner") {
                try await tree.set("audiences/c", to: mallorys)
            }
            #expect(try await tree.get("memberships/eve") == nil)
            #expect(try await tree.get("stories/c") == nil)
        }
    }

    @Test("A name that is written in one update with a post for audiences is in that post, too")
    func nameWithPost() async throws {
        try await withClass { tree, worker in
            var update = MultiPathUpdate()
            update["people/dan/full_name"] = "Dan"
            update["audience_posts/p"] = post(by: "dan", for: ["c"])
            try await tree.update(update)
            try await worker.runAll()
            #expect(try await tree.get("audience_posts/p/author/full_name") == "Dan")
            #expect(try await tree.get("stories/c/p/author/full_name") == "Dan")
        }
    }

    @Test("A new name is written into posts for audiences and their copies; a deletion removes them and memberships")
    func people() async throws {
        try await withClass { tree, worker in
            try await tree.set("people/ann/full_name", to: "ann")
            try await tree.set("audience_posts/p", to: post(by: "ann", for: ["c", "s"]))
            try await tree.set("audience_posts/q", to: post(by: "bob", for: ["c"]))
            try await tree.set("people/ann/full_name", to: "Ann Lée")
            try await worker.runAll()
            for path in ["audience_posts/p", "stories/c/p", "stories/s/p"] as [TreePath] {
                #expect(try await tree.get(path / "author" / "full_name") == "Ann Lée", "\(path)")
            }
            let ann = try #require(UserID("ann"))
            _ = try await People(tree).delete(ann)
            try await worker.runAll()
            #expect(try await tree.get("audience_posts")?.object?.keys.map(\.string) == ["q"])
            #expect(try await tree.get("stories")?["c"]?.object?.keys.map(\.string) == ["q"])
            #expect(try await tree.get("audiences/c/members") == ["bob": "owner", "cem": "reader"])
            #expect(try await tree.get("memberships/ann") == nil)
            #expect(try await People(tree).deletion(of: ann)?.ended != nil)
        }
    }

    @Test("A client's post has its time of publication in the stories, as one of the service's does")
    func publishedCopies() async throws {
        try await withClass { tree, _ in
            for id in ["b", "a"] as [TreeKey] {
                try await tree.set("audience_posts" / id, to: post(by: "ann", for: ["c"]))
            }
            try await tree.set("audience_posts/o", to: ["published": 7, "text": "x", "audiences": ["c": true]])
            let copies = try await tree.children(of: "stories/c")
            let published = copies.map { ($0.key.string, $0.value["published"]?.integerValue ?? 0) }
            let times = Dictionary(uniqueKeysWithValues: published)
            #expect(times["o"] == 7)
            #expect(try #require(times["b"]) < #require(times["a"]))
            let before = try await tree.get("stories/c/b/published")
            try await tree.set("audience_posts/b/text", to: "y")
            #expect(try await tree.get("stories/c/b/published") == before)
            // Clients cannot write a copy.
            try await tree.set("stories/c/b/published", to: 1)
            #expect(try await tree.get("stories/c/b/published") == before)
        }
    }

    @Test("One of many owners who are removed at once stays, among however many readers")
    func manyOwners() async throws {
        try await withClass { tree, _ in
            func members(_ prefix: String, _ role: TreeValue) -> [(TreeKey, TreeValue)] {
                (0..<3000).map { (TreeKey(unchecked: "\(prefix)\($0)"), role) }
            }
            let (readers, owners) = (members("a", "reader"), members("z", "owner"))
            try await tree.set(
                "audiences/big/members", to: .object(Dictionary(uniqueKeysWithValues: readers + owners)))
            try await tree.set("audiences/big/members", to: .object(Dictionary(uniqueKeysWithValues: readers)))
            let left = try await tree.children(of: "audiences/big/members").filter { $0.value == "owner" }
            #expect(left.count == 1)
        }
    }

    @Test("Posts of a deleted audience leave it step by step, and have no readers meanwhile")
    func deletedStory() async throws {
        try await withClass { tree, worker in
            for number in 0..<120 {
                try await tree.set(
                    try TreePath("audience_posts/p\(number)"),
                    to: post(by: "ann", for: number < 60 ? ["c"] : ["c", "s"]))
            }
            try await tree.set("audiences/c", to: nil)
            #expect(try await tree.get("memberships/cem") == nil)
            try await worker.runAll()
            #expect(try await tree.get("stories/c") == nil)
            #expect(try await tree.keys(of: "stories/s").count == 60)
            #expect(try await tree.keys(of: "audience_posts").count == 60)
        }
    }
}
