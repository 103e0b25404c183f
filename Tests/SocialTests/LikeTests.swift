import API
import Synchronization
import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("Likes")
struct LikeTests {
    private let post: PostID
    private let (ann, bob): (UserID, UserID)

    init() throws {
        post = try #require(PostID("-OaBcDeFgHiJkLmNoPqR"))
        (ann, bob) = (try #require(UserID("ann")), try #require(UserID("bob")))
    }

    /// Runs a body with a store with a post of Bob's.
    private func withLikes(
        clock: @escaping @Sendable () -> Timestamp = { 1000 }, _ body: (Likes, TreeStore) async throws -> Void
    ) async throws {
        let tree = try await TreeStore(
            engine: MemoryEngine(), derivations: SocialDerivations.strata, isMaintained: false, clock: clock)
        try await tree.set(PostNodes.post(post), to: ["timestamp": 1, "text": "x", "author": ["uid": "bob"]])
        try await body(Likes(tree), tree)
        await tree.close()
    }

    @Test("P24, 20, 21: A like and an unlike take effect with their commits, and repeating them changes nothing")
    func idempotent() async throws {
        let clock = Mutex<Timestamp>(1000)
        try await withLikes(clock: { clock.withLock { $0 } }) { likes, tree in
            let first = try await likes.add(by: ann, to: post)
            clock.withLock { $0 = 2000 }
            let second = try await likes.add(by: ann, to: post)
            #expect(first == second && first.count == 1)
            #expect(try await tree.get(ReactionNodes.like(post)) == ["ann": 1000])
            #expect(try await tree.get(ReactionNodes.liked(ann)) == [post.key: "1000"])
            let end = try await likes.remove(by: ann, from: post)
            #expect(end.count == 0 && end.token > first.token)
            #expect(try await likes.remove(by: ann, from: post) == end)
            #expect(try await tree.get(ReactionNodes.liked(ann)) == nil)
            #expect(try await tree.get(ReactionNodes.stats(post)) == nil)
        }
    }

    @Test("22: A missing post cannot be liked; a like that outlives its post can be removed")
    func missing() async throws {
        try await withLikes { likes, tree in
            let missing = try #require(PostID("-OaBcDeFgHiJkLmNoPqS"))
            for work in [likes.add, likes.remove] {
                let failure = await #expect(throws: Failure.self) { try await work(ann, missing, nil) }
                #expect(failure?.code == .notFound)
            }
            try await tree.set(ReactionNodes.like(missing) / ann.key, to: 5)
            #expect(try await likes.remove(by: ann, from: missing).count == 0)
            #expect(try await tree.get("likes") == nil)
        }
    }

    @Test("A block in either direction prevents likes; existing likes can be removed", arguments: [0, 1])
    func blocked(by index: Int) async throws {
        try await withLikes { likes, tree in
            _ = try await likes.add(by: ann, to: post)
            let (blocker, other) = index == 0 ? (ann, bob) : (bob, ann)
            try await tree.set(PeopleNodes.blocking(blocker) / other.key, to: true)
            let failure = await #expect(throws: Failure.self) { try await likes.add(by: ann, to: post) }
            #expect(failure?.code == .blocked)
            #expect(try await likes.remove(by: ann, from: post).count == 0)
            #expect(try await likes.add(by: bob, to: post).count == 1, "one's own")
        }
    }

    @Test("Pages of a post's likers have each person once, with names, and report whether there are more")
    func pages() async throws {
        try await withLikes { likes, tree in
            for number in 0..<7 {
                try await tree.set(ReactionNodes.like(post) / TreeKey(unchecked: "u\(number)"), to: 5)
            }
            try await tree.set("people/u3", to: ["full_name": "Three", "profile_picture": "/3.jpg"])
            for limit in [1, 2, 6, 7, 8] {
                var (seen, next, pages): ([String], TreeKey?, Int) = ([], nil, 0)
                repeat {
                    let page = try await likes.page(of: post, after: next, limit: limit, isNaming: true)
                    #expect(page.count == 7 && !page.people.isEmpty)
                    seen += page.people.compactMap(\.fullName)
                    (next, pages) = (page.next, pages + 1)
                } while next != nil
                #expect(seen == ["u0", "u1", "u2", "Three", "u4", "u5", "u6"] && pages == (7 + limit - 1) / limit)
            }
            let unnamed = try await likes.page(of: post, after: "u2", limit: 1, isNaming: false).people
            let times = EntityTimes(created: 1000)
            #expect(unnamed == [Likes.Liker(key: "u3", fullName: nil, profilePicture: nil, timestamp: 5, times: times)])
        }
    }

    @Test("Malformed likes of the database's clients are listed as they are")
    func strange() async throws {
        try await withLikes { likes, tree in
            try await tree.set(ReactionNodes.like(post), to: ["a b": true, "ann": ["x": 1], "bob": 1.5])
            let page = try await likes.page(of: post, after: nil, limit: 10, isNaming: true)
            #expect(page.people.map(\.key) == ["a b", "ann", "bob"] && page.count == 3)
            #expect(page.people.map(\.timestamp) == [nil, nil, nil])
            #expect(try await likes.remove(by: ann, from: post).count == 2)
        }
    }

    @Test("Pages of a person's likes skip deleted posts, and are full nevertheless")
    func likedPosts() async throws {
        try await withLikes { likes, tree in
            var update = MultiPathUpdate()
            let ids = (0..<600).map { TreeKey(unchecked: "-P\(1000 + $0)") }
            for (number, id) in ids.enumerated() {
                update["likes" / id / "ann"] = 5
                // All but a few are deleted, or are not posts.
                if number % 100 == 7 {
                    update[PostNodes.post() / id] = ["timestamp": 1, "text": "x", "author": ["uid": "bob"]]
                } else if number % 100 == 8 {
                    update[PostNodes.post() / id] = "junk"
                }
            }
            try await tree.update(update)
            let expected = ids.enumerated().filter { $0.offset % 100 == 7 }.map(\.element).reversed()
            var (seen, next, skipped): ([TreeKey], TreeKey?, Int) = ([], nil, 0)
            repeat {
                let page = try await likes.posts(likedBy: ann, before: next, limit: 4)
                seen += page.items.map(\.id)
                skipped += page.skipped.count
                #expect(page.items.count == 4 || page.next == nil)
                next = page.next
            } while next != nil
            #expect(seen == Array(expected) && skipped == 6)
        }
    }

    @Test("The likes of an unknown person do not exist; a known person may have none")
    func likedByNobody() async throws {
        try await withLikes { likes, tree in
            let failure = await #expect(throws: Failure.self) {
                try await likes.posts(likedBy: ann, before: nil, limit: 5)
            }
            #expect(failure?.code == .notFound)
            try await tree.set("people/ann/full_name", to: "Ann")
            #expect(try await likes.posts(likedBy: ann, before: nil, limit: 5).items.isEmpty)
        }
    }

    @Test("20, 21: Hundreds like and unlike at once, by all ways, and the counter is exact")
    func concurrent() async throws {
        try await withLikes { likes, tree in
            try await withThrowingTaskGroup(of: Void.self) { [post] group in
                for number in 0..<400 {
                    let uid = try #require(UserID("u\(number % 250)"))
                    let raw = ReactionNodes.like(post) / uid.key
                    group.addTask {
                        switch number % 5 {
                        case 0, 1: #expect(try await likes.add(by: uid, to: post).count >= 0)
                        case 2: _ = try await likes.remove(by: uid, from: post)
                        case 3: try await tree.set(raw, to: 7)
                        default: try await tree.set(raw, to: nil)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let there = try await tree.keys(of: ReactionNodes.like(post), range: .all, limit: 1000)
            #expect(try await tree.get(ReactionNodes.stats(post) / "likes")?.integerValue == Int64(there.count))
            let page = try await likes.page(of: post, after: nil, limit: 1000, isNaming: false)
            #expect(page.people.map(\.key) == there && page.count == there.count)
            for number in 0..<250 {
                let uid = try #require(UserID("u\(number)"))
                let isListed = try await tree.get(ReactionNodes.liked(uid) / post.key) != nil
                #expect(isListed == there.contains(uid.key))
            }
        }
    }
}
