import Logging
import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("Deleted posts are in no feed, whatever happens to their author's followers")
struct LeftFeedTests {
    private func withTree(_ body: (TreeStore, FollowUpTaskWorker) async throws -> Void) async throws {
        let tree = try await TreeStore(
            engine: MemoryEngine(), derivations: SocialDerivations.strata, isMaintained: false, clock: { 1000 })
        try await body(tree, FollowUpTaskWorker(tree, clock: { 1000 }, logger: Logger(label: "test")))
        await tree.close()
    }

    private func post(by uid: String) -> TreeValue { ["timestamp": 1, "text": "x", "author": ["uid": .string(uid)]] }

    /// Lets 300 people follow bob, who has three posts, and adds these to their feeds.
    private func follow(_ tree: TreeStore) async throws {
        let bob = try #require(UserID("bob"))
        try await tree.set("people/bob/full_name", to: "Bob")
        for id in ["p", "q", "r"] { try await tree.set(try TreePath("posts/\(id)"), to: post(by: "bob")) }
        let rows = try await tree.children(of: PostNodes.publishedBy(bob))
        var update = MultiPathUpdate()
        for number in 0..<300 {
            let reader = try #require(UserID("u\(number)"))
            update[PeopleNodes.follower(bob) / reader.key] = true
            update[FeedNodes.homeMark(reader)] = "x"
            for row in rows {
                update[FeedNodes.home(reader) / row.key] = row.value
                update[FeedNodes.entry(reader) / TreeKey(unchecked: row.value.stringValue ?? "")] = true
            }
        }
        try await tree.update(update)
    }

    private func expectNothing(in tree: TreeStore) async throws {
        #expect(try await tree.get("feed") == nil)
        for key in ["home", "withdrawn", "jobs"] as [TreeKey] {
            #expect(try await tree.get(TreePath([key], in: .social)) == nil, "\(key)")
        }
    }

    @Test(
        "12: The posts of a deleted person leave all feeds, also of followers who unfollow before the job reaches them"
    )
    func deletedPerson() async throws {
        try await withTree { tree, worker in
            try await follow(tree)
            _ = try await PersonDeletion.begin(of: try #require(UserID("bob")), in: tree)
            try await worker.runAll()
            try await expectNothing(in: tree)
        }
    }

    @Test(
        "11: Followers who all unfollow in the commit that deletes the posts have none of them left",
        arguments: [true, false])
    func atOnce(_ isOneUpdate: Bool) async throws {
        try await withTree { tree, worker in
            try await follow(tree)
            if isOneUpdate {
                var update = MultiPathUpdate()
                update["followers/bob"] = nil
                update["posts"] = nil
                try await tree.update(update)
            } else {
                try await tree.set("posts", to: nil)
                try await tree.set("followers", to: nil)
            }
            try await worker.runAll()
            try await expectNothing(in: tree)
        }
    }

    @Test(
        "11: Feeds have exactly the existing posts of followed people, whatever happens between the steps of jobs",
        arguments: 0..<16)
    func random(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let people = ["ann", "bob", "cat"]
        try await withTree { tree, worker in
            for person in people { try await tree.set(try TreePath("people/\(person)/full_name"), to: .string(person)) }
            for number in 0..<120 {
                let (one, other) = (generator.pick(people), generator.pick(people))
                switch Int.random(in: 0..<12, using: &generator) {
                case 0...1: try await tree.set(try TreePath("posts/p\(number)"), to: post(by: one))
                case 2...3:
                    let posts = try await tree.keys(of: "posts")
                    if let post = posts.randomElement(using: &generator) { try await tree.set("posts" / post, to: nil) }
                case 4...5 where one != other:
                    try await tree.set(try TreePath("followers/\(one)/\(other)"), to: true)
                case 6 where one != other:
                    try await tree.set(try TreePath("people/\(other)/following/\(one)"), to: nil)
                case 7...8:
                    _ = try await FeedSync(tree, FeedBounds()).bringUpToDate(try #require(UserID(one)))
                default:
                    let kinds = try await tree.children(of: WorkNodes.followUpTask())
                    guard let row = kinds.randomElement(using: &generator),
                        let kind = FollowUpTaskKind(rawValue: row.key.string),
                        let job = try await tree.children(of: kind.path).randomElement(using: &generator)
                    else { continue }
                    _ = try await worker.step(PendingFollowUpTask(kind, job))
                }
            }
            try await worker.runAll()
            for reader in people {
                let uid = try #require(UserID(reader))
                for row in try await tree.children(of: FeedNodes.home(uid)) {
                    let id = TreeKey(unchecked: row.value.stringValue ?? "")
                    let author = try await tree.get("posts" / id / "author" / "uid")?.stringValue
                    #expect(author != nil, "seed \(seed): \(reader) has \(id), which is deleted")
                    guard let author, author != reader else { continue }
                    let link = try await tree.get(try TreePath("people/\(reader)/following/\(author)"))
                    #expect(link != nil, "seed \(seed): \(reader) has \(id) of \(author)")
                }
                for id in try await tree.keys(of: FeedNodes.entry(uid)) {
                    #expect(try await tree.get("posts" / id) != nil, "seed \(seed): feed/\(reader) has \(id)")
                }
            }
            #expect(try await tree.get(TreePath(["withdrawn"], in: .social)) == nil)
        }
    }
}
