import API
import Logging
import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("Work that is too much for a commit follows it, and is never lost")
struct SocialJobTests {
    private func withTree(_ body: (TreeStore, FollowUpTaskWorker) async throws -> Void) async throws {
        let tree = try await TreeStore(
            engine: MemoryEngine(), derivations: SocialDerivations.strata, isMaintained: false, clock: { 1000 })
        try await body(tree, FollowUpTaskWorker(tree, clock: { 1000 }, logger: Logger(label: "test")))
        await tree.close()
    }

    private func post(by uid: String) -> TreeValue {
        ["timestamp": 1, "text": "x", "author": ["uid": .string(uid), "full_name": "Old"]]
    }

    private func add(_ count: Int, _ tree: TreeStore, _ path: (Int) throws -> TreePath) async throws {
        for number in 0..<count { try await tree.set(try path(number), to: true) }
    }

    @Test("P25, 11: A deleted post leaves all feeds, with its likes and comments, however many there are")
    func deletedPost() async throws {
        try await withTree { tree, worker in
            try await tree.set("posts/p", to: post(by: "bob"))
            let bob = try #require(UserID("bob"))
            let row = try #require(try await tree.keys(of: PostNodes.publishedBy(bob)).first)
            var update = MultiPathUpdate()
            for number in 0..<700 {
                update[try TreePath("followers/bob/u\(number)")] = true
                update[try TreePath("feed/u\(number)/p")] = true
                update[TreePath(["home", TreeKey(unchecked: "u\(number)"), row], in: .social)] = "p"
                update[try TreePath("likes/p/u\(number)")] = 1
            }
            update["comments/p/c"] = ["author": ["uid": "u1"], "text": "y"]
            try await tree.update(update)
            try await tree.set("posts/p", to: nil)
            #expect(try await tree.get("people/bob/posts") == nil)
            #expect(try await tree.get("feed/bob") == nil)
            #expect(try await tree.get(TreePath(["all"], in: .social)) == nil)
            try await worker.runAll()
            for path in ["feed", "likes", "comments", "stats/posts"] as [TreePath] {
                #expect(try await tree.get(path) == nil, "\(path)")
            }
            for key in ["home", "liked", "commented", "jobs"] as [TreeKey] {
                #expect(try await tree.get(TreePath([key], in: .social)) == nil, "\(key)")
            }
        }
    }

    @Test(
        "A node at the id of a deleted post inherits nothing, and is left alone",
        arguments: [
            ["author": ["uid": "eve"], "text": "x"], ["author": ["uid": "bob"], "text": "x"], ["moderated": true],
        ]
            as [TreeValue])
    func takenID(value: TreeValue) async throws {
        try await withTree { tree, worker in
            try await tree.set("posts/p", to: post(by: "bob"))
            let bob = try #require(UserID("bob"))
            let row = try #require(try await tree.keys(of: PostNodes.publishedBy(bob)).first)
            try await add(700, tree) { try TreePath("likes/p/u\($0)") }
            try await tree.set("comments/p/c", to: ["author": ["uid": "u1"], "text": "y"])
            try await tree.set("postFlags/p/u1", to: true)
            try await tree.set("followers/bob/u1", to: true)
            let home = TreePath(["home", "u1", row], in: .social)
            try await tree.set(home, to: "p")
            try await tree.set("posts/p", to: nil)
            try await tree.set("posts/p", to: value)
            let written = try await tree.get("posts/p")
            try await worker.runAll()
            for path in ["likes", "comments", "postFlags", "stats/posts"] as [TreePath] {
                #expect(try await tree.get(path) == nil, "\(path)")
            }
            for path in [home, WorkNodes.followUpTask()] { #expect(try await tree.get(path) == nil, "\(path)") }
            #expect(try await tree.get("posts/p") == written)
        }
    }

    @Test("P9, 2: A new name is in all posts and comments of the person, and in no others")
    func rename() async throws {
        try await withTree { tree, worker in
            try await tree.set("people/bob/full_name", to: "Old")
            for number in 0..<300 { try await tree.set(try TreePath("posts/p\(number)"), to: post(by: "bob")) }
            try await tree.set("posts/ann", to: post(by: "ann"))
            for number in 0..<300 {
                try await tree.set(
                    try TreePath("comments/p\(number)/c"), to: ["author": ["uid": "bob", "full_name": "Old"]])
            }
            try await tree.set("people/bob/full_name", to: "New")
            try await tree.set("people/bob/profile_picture", to: "/p.jpg")
            try await worker.runAll()
            for number in 0..<300 {
                let author: TreeValue = ["uid": "bob", "full_name": "New", "profile_picture": "/p.jpg"]
                #expect(try await tree.get(try TreePath("posts/p\(number)/author")) == author)
                #expect(try await tree.get(try TreePath("comments/p\(number)/c/author")) == author)
            }
            #expect(try await tree.get("posts/ann/author/full_name") == "Old")
            #expect(try await tree.get(WorkNodes.followUpTask()) == nil)
        }
    }

    @Test("2: A new name in the commit of a person's first post is in that post, too")
    func renameWithFirstPost() async throws {
        try await withTree { tree, worker in
            var update = MultiPathUpdate()
            update["people/bob/full_name"] = "New"
            update["posts/p"] = post(by: "bob")
            try await tree.update(update)
            try await worker.runAll()
            #expect(try await tree.get("posts/p/author/full_name") == "New")
        }
    }

    @Test("A new name does not notify of imported comments")
    func renameIsNoNews() async throws {
        try await withTree { tree, worker in
            try await tree.set("posts/p", to: post(by: "ann"))
            let comment: TreeValue = ["author": ["uid": "bob"], "text": "@", "mentions": ["0": ["uid": "cem"]]]
            try await tree.set("comments", to: ["p": ["c": comment]])
            try await tree.set("people/bob/full_name", to: "New")
            try await worker.runAll()
            #expect(try await tree.get("comments/p/c/author/full_name") == "New")
            #expect(try await tree.get("notifications") == nil)
        }
    }

    @Test("2: A name that changes again while copies of the one before are written is in all of them in the end")
    func renameMeanwhile() async throws {
        try await withTree { tree, worker in
            try await tree.set("people/bob/full_name", to: "Old")
            for number in 0..<300 { try await tree.set(try TreePath("posts/p\(number)"), to: post(by: "bob")) }
            try await tree.set("comments/p1/c", to: ["author": ["uid": "bob", "full_name": "Old"]])
            try await tree.set("people/bob/full_name", to: "New")
            #expect(try await worker.runRound())
            let names = try await tree.children(of: "posts").map { $0.value["author"]?["full_name"] }
            #expect(names.contains("New") && names.contains("Old"), "the job is in progress")
            try await tree.set("people/bob/full_name", to: "Newest")
            try await worker.runAll()
            for post in try await tree.children(of: "posts") {
                #expect(post.value["author"]?["full_name"] == "Newest", "\(post.key)")
            }
            #expect(try await tree.get("comments/p1/c/author/full_name") == "Newest")
            #expect(try await tree.get(WorkNodes.followUpTask()) == nil)
        }
    }

    @Test("The feed has all earlier posts of a followed person, and none after the person is unfollowed")
    func follow() async throws {
        try await withTree { tree, worker in
            for number in 0..<600 { try await tree.set(try TreePath("posts/p\(number)"), to: post(by: "bob")) }
            let ann = try #require(UserID("ann"))
            // The feed has not been read yet: the first reading finds everything.
            try await tree.set("people/ann/following/eve", to: true)
            #expect(try await tree.get(WorkNodes.followUpTask()) == nil)
            try await tree.set(FeedNodes.homeMark(ann), to: "x")
            try await tree.set("people/ann/following/bob", to: true)
            try await worker.runAll()
            #expect(try await tree.get(FeedNodes.entry(ann))?.object?.count == 600)
            #expect(try await tree.get(FeedNodes.home(ann))?.object?.count == 600)
            try await tree.set("followers/bob/ann", to: nil)
            #expect(try await tree.get(WorkNodes.followUpTask())?.object?.keys.map(\.string) == ["unfollow"])
            try await worker.runAll()
            #expect(try await tree.get(FeedNodes.entry(ann)) == nil)
            #expect(try await tree.get(FeedNodes.home(ann)) == nil)
        }
    }

    /// A job that fails until its test permits it.
    private struct FailingJob: FollowUpTask {
        static let kind = FollowUpTaskKind.backfill
        let isFailing: Shared<Bool>

        func step(
            _ job: PendingFollowUpTask, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
        ) throws(TreeError) -> String? {
            guard !isFailing.value || job.subject.description != "bad" else {
                throw TreeError(.invalidValue, "it cannot be done")
            }
            return nil
        }
    }

    @Test("A failing job is tried again with growing delays, and does not delay other jobs")
    func failing() async throws {
        try await withTree { tree, _ in
            let (isFailing, now) = (Shared(true), Shared(Timestamp(milliseconds: 1000)))
            let failures = Shared<[FollowUpTaskKind]>([])
            let worker = FollowUpTaskWorker(
                tree, tasks: [FailingJob(isFailing: isFailing)], clock: { now.value }, logger: Logger(label: "test"),
                onFailure: { kind in failures.change { $0.append(kind) } })
            let jobs = FollowUpTaskKind.backfill.path
            for subject in ["bad", "good"] as [TreeKey] { try await tree.set(jobs / subject / "since", to: 1) }
            try await worker.runAll()
            #expect(
                try await tree.get(jobs)
                    == ["bad": ["since": 1, "attempts": 1, "error": "it cannot be done", "due": 1500]])
            now.change { $0 = 1500 }
            try await worker.runAll()
            #expect(try await tree.get(jobs / "bad" / "due") == 2500)
            now.change { $0 = 5000 }
            isFailing.change { $0 = false }
            try await worker.runAll()
            #expect(try await tree.get(WorkNodes.followUpTask()) == nil)
            #expect(failures.value == [.backfill, .backfill], "each failed step is counted")
        }
    }

    @Test("An unfollow and a follow before a job was done keep the posts, and the reverse removes them")
    func changesOfMind() async throws {
        try await withTree { tree, worker in
            try await tree.set("posts/p", to: post(by: "bob"))
            let ann = try #require(UserID("ann"))
            try await tree.set(FeedNodes.homeMark(ann), to: "x")
            for isFollowed in [true, false, true] {
                try await tree.set("people/ann/following/bob", to: isFollowed ? true : nil)
            }
            try await worker.runAll()
            #expect(try await tree.get(FeedNodes.entry(ann)) == ["p": true])
            for isFollowed in [false, true, false] {
                try await tree.set("people/ann/following/bob", to: isFollowed ? true : nil)
            }
            try await worker.runAll()
            #expect(try await tree.get(FeedNodes.entry(ann)) == nil)
        }
    }
}

@Suite("A deleted person leaves no data behind")
struct PersonDeletionTests {
    @Test(
        "FriendlyPix 12: All the person's posts, comments, likes, follows, blocks and feeds are deleted, with a receipt"
    )
    func everything() async throws {
        let tree = try await TreeStore(
            engine: MemoryEngine(), derivations: SocialDerivations.strata, isMaintained: false, clock: { 1000 })
        let (ann, bob) = (try #require(UserID("ann")), try #require(UserID("bob")))
        func write(_ uid: String, from other: String) async throws {
            try await tree.set(try TreePath("people/\(uid)/full_name"), to: .string(uid))
            for number in 0..<120 {
                try await tree.set(
                    try TreePath("posts/\(uid)\(number)"),
                    to: ["timestamp": 1, "text": "#tag", "author": ["uid": .string(uid)]])
                try await tree.set(try TreePath("likes/\(other)\(number)/\(uid)"), to: 1)
                for comment in ["x", "y"] {
                    try await tree.set(
                        try TreePath("comments/\(other)\(number)/\(uid)\(comment)"),
                        to: ["author": ["uid": .string(uid)]])
                }
                try await tree.set(try TreePath("followers/\(uid)/u\(number)"), to: true)
                try await tree.set(try TreePath("people/\(uid)/following/u\(number)"), to: true)
            }
        }
        try await write("bob", from: "bob")
        let before = try await tree.get(.root)
        try await write("ann", from: "bob")
        try await tree.set("likes/ann1/bob", to: 1)
        try await tree.set("blocking/eve/ann", to: true)
        let began = try await PersonDeletion.begin(of: ann, in: tree)
        #expect(began.ended == nil)
        #expect(try await tree.get("people/ann/full_name") == nil)
        // Only the person's job runs: it has not ended before the work of the other jobs on the posts is done.
        let worker = FollowUpTaskWorker(tree, clock: { 1000 }, logger: Logger(label: "test"))
        while let job = try await tree.children(of: FollowUpTaskKind.deletePerson.path).first {
            _ = try await worker.step(PendingFollowUpTask(.deletePerson, job))
        }
        #expect(try await tree.get(.root) == before)
        let receipt = try await tree.snapshot { try PersonDeletion(of: ann, in: $0) }
        #expect(receipt?.ended == 1000)
        #expect(receipt?.counts[.posts] == 120)
        #expect(receipt?.counts[.comments] == 240)
        #expect(receipt?.counts[.likes] == 120)
        #expect(receipt?.counts[.followers] == 120)
        await #expect(throws: Failure.self) { try await PersonDeletion.begin(of: ann, in: tree) }
        #expect(try await tree.snapshot { try PersonDeletion(of: bob, in: $0) } == nil)
        await tree.close()
    }
}
