import API
import Keeping
import Model
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

@Suite("Posts older than the setting expire, as if they were deleted one by one")
struct PostExpiryTests {
    private func counts(_ running: RunningPipeline) async throws -> (posts: Int, listed: Int) {
        let posts = try await running.storage.tree.keys(of: PostNodes.post()).count
        let uid = try #require(UserID("u"))
        return (posts, try await running.storage.tree.keys(of: PeopleNodes.ownPost(uid)).count)
    }

    /// Expects a number of expired posts. A sweep of the service may be deleting them at the same time; each post
    /// counts once, when its page has ended.
    private func expectExpired(_ count: Int, in running: RunningPipeline) async throws {
        try await eventually(seen: { try await running.pipeline.report.status().expired as Any }) {
            try await running.pipeline.report.status().expired == count
        }
    }

    @Test("A dry run counts posts and bytes and changes nothing; then only old posts are deleted, with all entries")
    func pages() async throws {
        try await withPipeline { running in
            let bytes = try Fixture.bytes("baseline-420.jpg")
            for number in 0..<3 { _ = try await running.upload([("a.jpg", bytes)], by: "u", text: "#old \(number)") }
            let age = Duration.seconds(3600)
            for _ in 0..<2 {
                let none = try await running.pipeline.expiry.page(olderThan: age, after: nil, isDryRun: false)
                #expect(none.posts == 0 && none.bytes == 0)
            }
            let first = try #require(try await running.storage.tree.keys(of: PostNodes.post()).first)
            try await running.storage.tree.set(PostNodes.post() / first / "timestamp", to: 1)
            let dry = try await running.pipeline.expiry.page(olderThan: age, after: nil, isDryRun: true)
            #expect(
                dry.posts == 1 && dry.bytes > bytes.count && dry.next == PostExpiry.Position(cursor: "audience_posts"))
            let rest = try await running.pipeline.expiry.page(olderThan: age, after: dry.next, isDryRun: true)
            #expect(rest == PostExpiry.Page())
            let before = try await counts(running)
            #expect(before.posts == 3)
            let done = try await running.pipeline.expiry.page(olderThan: age, after: nil, isDryRun: false)
            #expect(done == dry)
            let after = try await counts(running)
            #expect(after.posts == 2 && after.listed == 2)
            #expect(try await running.storage.tree.keys(of: "hashtags/old").count == 2)
        }
    }

    @Test("The janitor deletes old posts while the setting is on, in pages, and the status contains the count")
    func sweep() async throws {
        try await withPipeline(settings: { $0.postRetention = .seconds(3600) }) { running in
            // More than one page, written as an import writes them: the old posts follow the others.
            let posts = (0..<1450).map { number in
                let id = running.storage.ids.next()
                let isOld = number >= 1020
                return (
                    id.key,
                    ["author": ["uid": "u"], "text": "x", "timestamp": .integer(isOld ? 1 : Int64.max / 2)] as TreeValue
                )
            }
            try await running.storage.tree.set(PostNodes.post(), to: .object(Dictionary(uniqueKeysWithValues: posts)))
            try await running.pipeline.janitor.sweep()
            #expect(try await counts(running).posts == 1020)
            try await expectExpired(430, in: running)
        }
        try await withPipeline { running in
            let id = try await running.upload([], by: "u", text: "x").id
            try await running.storage.tree.set(PostNodes.post(id) / "timestamp", to: 1)
            try await running.pipeline.janitor.sweep()
            #expect(try await counts(running).posts == 1)
            #expect(try await running.pipeline.report.status().expired == nil)
        }
    }

    @Test("Posts that two sweeps delete at the same time are counted once")
    func twoAtOnce() async throws {
        try await withPipeline { running in
            let posts = (0..<200).map { _ in
                (running.storage.ids.next().key, ["author": ["uid": "u"], "text": "x", "timestamp": 1] as TreeValue)
            }
            try await running.storage.tree.set(PostNodes.post(), to: .object(Dictionary(uniqueKeysWithValues: posts)))
            let expiry = running.pipeline.expiry
            async let first = expiry.page(olderThan: .seconds(3600), after: nil, isDryRun: false)
            async let second = expiry.page(olderThan: .seconds(3600), after: nil, isDryRun: false)
            #expect(try await first.posts + second.posts == 200)
        }
    }

    @Test("Old posts for audiences are deleted like others, from the stories of all their audiences")
    func audiences() async throws {
        // Without automatic sweeps.
        try await withPipeline(runs: false, settings: { $0.postRetention = .seconds(3600) }) { running in
            let tree = running.storage.tree
            try await tree.set("audiences/class", to: ["name": "7b", "kind": "class", "members": ["u": "owner"]])
            let (old, young) = (running.storage.ids.next(), running.storage.ids.next())
            for (id, timestamp) in [(old, 1), (young, Int64.max / 2)] {
                let post: TreeValue = [
                    "author": ["uid": "u"], "text": "x", "timestamp": .integer(timestamp), "audiences": ["class": true],
                ]
                try await tree.set(AudienceNodes.post() / id.key, to: post)
            }
            #expect(try await tree.keys(of: "stories/class") == [old.key, young.key])
            try await running.pipeline.janitor.sweep()
            #expect(try await tree.keys(of: AudienceNodes.post()) == [young.key])
            #expect(try await tree.keys(of: "stories/class") == [young.key])
            try await expectExpired(1, in: running)
        }
    }

    @Test("Cursors contain the end of a page, and other texts are refused")
    func cursors() {
        for text in ["posts", "posts/-P6xJd7DkF0an8Cy0qLh", "audience_posts", "audience_posts/x"] {
            #expect(PostExpiry.Position(cursor: text)?.description == text)
        }
        for text in ["", "42", "people/x", "posts/", "posts/a/b", "/posts", "posts/a.b"] {
            #expect(PostExpiry.Position(cursor: text) == nil, "\(text)")
        }
    }
}
