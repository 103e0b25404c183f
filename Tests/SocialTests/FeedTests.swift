import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("Home feeds are updated when they are read")
struct FeedTests {
    private func names(_ prefix: String, _ count: Int) -> [String] {
        (0..<count).map { prefix + String(repeating: "0", count: 5 - "\($0)".count) + "\($0)" }
    }

    private func marks(_ tree: TreeStore, _ reader: String, _ followee: String) async throws -> [TreeValue?] {
        [
            try await tree.get(try TreePath("people/\(reader)/following/\(followee)")),
            try await tree.get(try TreePath("followers/\(followee)/\(reader)")),
        ]
    }

    @Test("P19, 12: A feed has one's own posts and those of followed people at once, the last published first")
    func own() async throws {
        try await withFeeds { model in
            try await model.post("a", by: "ann")
            try await model.follow("ann", "bob")
            try await model.post("b", by: "bob")
            try await model.post("e", by: "eve")
            #expect(try await model.page(of: "ann").ids == ["b", "a"])
            #expect(try await model.page(of: "bob").ids == ["b"])
            try await model.post("a2", by: "ann")
            #expect(try await model.page(of: "ann").ids == ["a2", "b", "a"])
            #expect(try await model.page(of: "nobody").ids == [])
            #expect(try await model.tree.get(TreePath(["home_marks", "nobody"], in: .social)) == nil)
        }
    }

    @Test("A draft that is published late is listed first, also for a reader who has read the feed before")
    func latePublication() async throws {
        try await withFeeds { model in
            try await model.follow("ann", "bob")
            // The id of the draft is the lesser one: it was reserved before.
            let (draft, other) = ("-A", "-B")
            try await model.post(other, by: "bob")
            #expect(try await model.page(of: "ann").ids == [other])
            try await model.post(draft, by: "bob")
            #expect(try await model.page(of: "ann").ids == [draft, other])
            #expect(try await model.walk("ann", limit: 1).ids == [draft, other])
        }
    }

    @Test("P16, 6, FriendlyPix 8: A person without posts can be followed; the first post sets the mark")
    func followeeWithoutPosts() async throws {
        try await withFeeds { model in
            try await model.follow("ann", "bob")
            #expect(try await model.page(of: "ann").ids == [])
            #expect(try await marks(model.tree, "ann", "bob") == [true, true])
            try await model.post("b", by: "bob")
            #expect(try await model.page(of: "ann").ids == ["b"])
            #expect(try await marks(model.tree, "ann", "bob") == ["b", "b"])
        }
    }

    @Test(
        "P13, 11, FriendlyPix 2, FriendlyPix 7: Both sides of a follow name the followee's last post that the feed has"
    )
    func mirrorMarks() async throws {
        try await withFeeds { model in
            for followee in ["bob", "eve"] { try await model.follow("ann", followee) }
            // Neither the order of the ids nor that of the people is that of publication.
            for id in ["m", "z", "a", "k"] { try await model.post(id, by: "bob") }
            try await model.post("n", by: "eve")
            #expect(try await marks(model.tree, "ann", "bob") == [true, true])
            _ = try await model.page(of: "ann")
            #expect(try await marks(model.tree, "ann", "bob") == ["k", "k"])
            #expect(try await marks(model.tree, "ann", "eve") == ["n", "n"])
            try await model.post("c", by: "eve")
            _ = try await model.page(of: "ann")
            #expect(try await marks(model.tree, "ann", "bob") == ["k", "k"])
            #expect(try await marks(model.tree, "ann", "eve") == ["c", "c"])
            #expect(
                try await model.tree.get("feed/ann")?.object?.keys.map(\.string).sorted() == [
                    "a", "c", "k", "m", "n", "z",
                ])
            #expect(try await model.tree.get("stats/people/ann/following") == 2)
        }
    }

    @Test("P20, FriendlyPix 5: New posts and the marks are written in one change")
    func oneChange() async throws {
        try await withFeeds { model in
            for followee in ["bob", "eve"] { try await model.follow("ann", followee) }
            _ = try await model.page(of: "ann")
            for id in ["m", "z"] { try await model.post(id, by: "bob") }
            try await model.post("e", by: "eve")
            let before = try await model.tree.token
            _ = try await model.page(of: "ann")
            let changes = try await model.tree.changes(since: before, limit: 10)
            #expect(
                changes.map { change in
                    change.writes.map(\.path).filter { $0.namespace == .main }.map(\.description).sorted()
                } == [
                    [
                        "/feed/ann/e", "/feed/ann/m", "/feed/ann/z", "/followers/bob/ann", "/followers/eve/ann",
                        "/people/ann/following/bob", "/people/ann/following/eve",
                    ]
                ])
        }
    }

    @Test("P20, FriendlyPix 6: A second reading writes nothing, unless followed people have posted")
    func nothingNew() async throws {
        try await withFeeds { model in
            try await model.follow("ann", "bob")
            try await model.post(names("b", 30), by: "bob")
            _ = try await model.page(of: "ann")
            try await model.post(names("e", 300), by: "eve")
            let token = try await model.tree.token
            for _ in 0..<3 { _ = try await model.page(of: "ann") }
            #expect(try await model.tree.token == token)
            // The feed is updated only to avoid reading many rows again and again.
            let reader = try #require(UserID("ann"))
            let mark = try await model.tree.get(FeedNodes.homeMark(reader))
            try await model.post(names("f", 300), by: "eve")
            _ = try await model.page(of: "ann")
            #expect(try await model.tree.get(FeedNodes.homeMark(reader)) != mark)
            #expect(try await model.walk("ann").ids == model.feed(of: "ann"))
        }
    }

    @Test("P20, FriendlyPix 9: The last post that a feed has is not added again with the next one")
    func lastPostOnce() async throws {
        try await withFeeds { model in
            try await model.follow("ann", "bob")
            for number in 0..<5 {
                try await model.post("b\(number)", by: "bob")
                let before = try await model.tree.token
                #expect(try await model.page(of: "ann").ids == model.feed(of: "ann"))
                let writes = try await model.tree.changes(since: before, limit: 10).flatMap(\.writes)
                #expect(
                    writes.filter { $0.path.keys.first == "feed" }.map(\.path.description) == ["/feed/ann/b\(number)"])
            }
        }
    }

    @Test("P17, 10: An unfollowed person's posts leave the feed at once, with the marks; all other posts stay")
    func unfollow() async throws {
        try await withFeeds { model in
            for followee in ["bob", "eve"] { try await model.follow("ann", followee) }
            for (id, uid) in [("a", "ann"), ("b", "bob"), ("e", "eve"), ("b2", "bob")] {
                try await model.post(id, by: uid)
            }
            #expect(try await model.page(of: "ann").ids == ["b2", "e", "b", "a"])
            try await model.unfollow("ann", "bob")
            #expect(try await model.page(of: "ann").ids == ["e", "a"])
            try await model.worker.runAll()
            #expect(try await model.page(of: "ann").ids == ["e", "a"])
            #expect(try await marks(model.tree, "ann", "bob") == [nil, nil])
            #expect(try await model.tree.get("feed/ann") == ["a": true, "e": true])
            #expect(try await model.tree.get(TreePath(["home", "ann"], in: .social))?.object?.count == 2)
        }
    }

    @Test("FriendlyPix 11: A post that was deleted after an unfollow leaves with the next reading")
    func deadEntries() async throws {
        try await withFeeds { model in
            for followee in ["bob", "eve"] { try await model.follow("ann", followee) }
            for (id, uid) in [("b", "bob"), ("e", "eve"), ("b2", "bob")] { try await model.post(id, by: uid) }
            #expect(try await model.page(of: "ann").ids == ["b2", "e", "b"])
            try await model.unfollow("ann", "bob")
            try await model.delete("b")
            try await model.give("b2", to: "eve")
            try await model.worker.runAll()
            #expect(try await model.page(of: "ann").ids == ["b2", "e"])
            #expect(try await model.tree.get("feed/ann") == ["b2": true, "e": true])
            #expect(try await model.tree.get(TreePath(["home", "ann"], in: .social))?.object?.count == 2)
        }
    }

    @Test("P16: A page right after a follow has the followed person's posts, each in its position")
    func rightAfterFollow() async throws {
        try await withFeeds { model in
            try await model.post("a", by: "ann")
            try await model.post("b", by: "bob")
            try await model.post("a2", by: "ann")
            #expect(try await model.page(of: "ann").ids == ["a2", "a"])
            try await model.follow("ann", "bob")
            let page = try await model.page(of: "ann")
            #expect(page.ids == ["a2", "b", "a"] && page.isComplete)
            #expect(try await marks(model.tree, "ann", "bob") == ["b", "b"])
        }
    }

    @Test("P21: The first reading has the newest posts at once, and reports incompleteness until jobs add the rest")
    func firstReading() async throws {
        try await withFeeds { model in
            for followee in ["bob", "eve", "joe"] { try await model.follow("ann", followee) }
            for (prefix, uid) in [("b", "bob"), ("e", "eve"), ("x", "stranger"), ("a", "ann"), ("c", "bob")] {
                try await model.post(names(prefix, 300), by: uid)
            }
            try await model.post("d", by: "eve")
            var bounds = FeedBounds()
            bounds.maxSteps = 1
            let page = try await model.page(of: "ann", limit: 50, bounds)
            #expect(page.ids == Array(model.feed(of: "ann").prefix(50)) && !page.isComplete)
            #expect(try await marks(model.tree, "ann", "bob") == [.string("c00299"), .string("c00299")])
            try await model.worker.runAll()
            let (ids, isComplete) = try await model.walk("ann", limit: 200)
            #expect(ids == model.feed(of: "ann") && isComplete)
            #expect(try await marks(model.tree, "ann", "eve") == ["d", "d"])
            #expect(try await model.tree.get(WorkNodes.followUpTask()) == nil)
        }
    }

    @Test("P21: Many new posts are added over several readings without a gap, the newest first")
    func muchNew() async throws {
        try await withFeeds { model in
            for number in 0..<20 { try await model.follow("ann", "f\(number)") }
            _ = try await model.page(of: "ann")
            for round in 0..<150 {
                try await model.post("r\(round)", by: "f\(round % 20)")
                try await model.post("s\(round)", by: "stranger")
            }
            var bounds = FeedBounds(
                maxPosts: 30, maxSearches: 10, rowsPerFollowee: 1, scannedRows: 5...20, fewRows: 2, rowsWorthAMark: 3,
                maxSteps: 0)
            let page = try await model.page(of: "ann", limit: 5, bounds)
            #expect(page.ids == Array(model.feed(of: "ann").prefix(5)) && !page.isComplete)
            // Posts that are published meanwhile are there at once, too.
            try await model.post("new", by: "f3")
            #expect(try await model.page(of: "ann", limit: 1, bounds).ids == ["new"])
            bounds.maxSteps = 4
            let (ids, isComplete) = try await model.walk("ann", bounds)
            #expect(ids == model.feed(of: "ann") && isComplete)
        }
    }

    @Test("However many strangers post, each followee's posts are found, in their order and without a job")
    func searches() async throws {
        try await withFeeds { model in
            for followee in ["bob", "eve", "joe"] { try await model.follow("ann", followee) }
            _ = try await model.page(of: "ann")
            for round in 0..<6 {
                for uid in ["bob", "stranger", "eve", "stranger", "ann"] where uid != "eve" || round > 3 {
                    try await model.post(names("r\(round)-\(model.posts.count)-", 7), by: uid)
                }
            }
            let bounds = FeedBounds(
                maxPosts: 200, maxSearches: 10, rowsPerFollowee: 1, scannedRows: 5...20, fewRows: 2, rowsWorthAMark: 3,
                maxSteps: 0)
            let (ids, isComplete) = try await model.walk("ann", limit: 200, bounds)
            #expect(ids == model.feed(of: "ann") && isComplete)
            #expect(try await model.tree.get(FollowUpTaskKind.home.path) == nil)
        }
    }

    @Test("A reading conflicts neither with new posts nor with follows, nor do two readings with each other")
    func concurrent() async throws {
        try await withFeeds { model in
            let people = ["ann", "bob", "eve", "joe"]
            for uid in people { try await model.post("\(uid)-0", by: uid) }
            let (tree, reading) = (model.tree, model)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for uid in people {
                    group.addTask {
                        for number in 1...60 {
                            try await tree.set(
                                PostNodes.post() / (try TreeKey("\(uid)-\(number)")), to: FeedModel.post(by: uid))
                            let other = people[number % 4]
                            guard other != uid else { continue }
                            try await tree.set(
                                try TreePath("people/\(uid)/following/\(other)"),
                                to: number % 3 == 0 && number < 50 ? nil : true)
                        }
                    }
                    for _ in 0..<2 {
                        group.addTask {
                            for _ in 0..<60 {
                                let ids = try await reading.page(of: uid, limit: 100).ids
                                #expect(Set(ids).count == ids.count)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await model.worker.runAll()
            for uid in people {
                let followees = Set(
                    try await tree.keys(of: PeopleNodes.following(try #require(UserID(uid)))).map(\.string))
                let all = try await tree.children(of: PostNodes.published(), order: .descending)
                let expected = all.compactMap { ListedPost($0) }.filter { post in
                    post.author == uid || followees.contains(post.author ?? "")
                }
                #expect(try await model.walk(uid, limit: 200).ids == expected.map(\.id.string))
            }
        }
    }
}
