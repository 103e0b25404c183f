import API
import Access
import Files
import Foundation
import Model
import Service
import Social
import Store
import TestSupport
import Testing
import Tree

@testable import Keeping
@testable import Uploads

@Suite("Posts for audiences, and their files", .timeLimit(.minutes(20)))
struct AudiencePostTests {
    /// Runs a body beside a pipeline with a class: Maria is an owner, Jan a reader, Eve not a member.
    private func withClass(
        runs: Bool = true, settings: (inout PipelineSettings) -> Void = { _ in },
        _ body: @Sendable (RunningPipeline) async throws -> Void
    ) async throws {
        try await withPipeline(runs: runs, settings: settings) { running in
            try await running.storage.tree.set(
                "audiences/class-7b",
                to: ["name": "7b", "kind": "class", "members": ["maria": "owner", "jan": "reader"]])
            try await running.storage.tree.set(
                "audiences/school", to: ["name": "School", "kind": "school", "members": ["maria": "poster"]])
            try await body(running)
        }
    }

    private func upload(
        _ running: RunningPipeline, _ fixture: String = "rgb-8.png", for audiences: [String] = ["class-7b"],
        by user: String = "maria", duplicates: DuplicatePolicy? = nil
    ) async throws -> UploadRecord {
        let record = try await reserve(running, for: audiences, by: user, duplicates: duplicates)
        return try await send(fixture, record, running)
    }

    private func reserve(
        _ running: RunningPipeline, for audiences: [String] = ["class-7b"], by user: String = "maria",
        duplicates: DuplicatePolicy? = nil
    ) async throws -> UploadRecord {
        var request = UploadRequest(owner: try #require(UserID(user)), intake: .socket)
        request.text = "#lake"
        request.duplicates = duplicates
        request.audiences = audiences.compactMap { AudienceID($0) }
        return try await running.reserve(request)
    }

    private func send(
        _ fixture: String, _ record: UploadRecord, _ running: RunningPipeline
    ) async throws -> UploadRecord {
        var session = running.pipeline.receiver.resume(record)
        try await session.receive(try Fixture.bytes(fixture), named: fixture)
        return try await running.pipeline.store.end(of: try await session.accept(text: record.text).id)
    }

    private func files(of record: UploadRecord, _ running: RunningPipeline) async throws -> Int {
        try await running.storage.blobs.fileNames(userID: record.owner.description, postID: record.id.description).count
    }

    @Test("The clean-up of unclaimed files keeps an audience post's photos")
    func claimed() async throws {
        try await withClass(settings: { $0.gracePeriod = .zero }) { running in
            let record = try await upload(running)
            #expect(record.state == .published)
            #expect(try await running.pipeline.unclaimed.list().isEmpty)
            await #expect(throws: Failure.self) {
                try await running.pipeline.unclaimed.remove(record.id, of: "maria")
            }
            try await running.pipeline.janitor.sweep()
            try await running.pipeline.janitor.sweepArchives()
            #expect(try await files(of: record, running) > 1)
        }
    }

    @Test("C1: The post is listed in its audiences, in one commit, and in no public list")
    func places() async throws {
        try await withClass { running in
            let tree = running.storage.tree
            let token = try await tree.token
            let record = try await upload(running, for: ["class-7b", "school"])
            let id = record.id
            let post = try #require(try await tree.get(AudienceNodes.post(id)))
            #expect(post["audiences"] == ["class-7b": true, "school": true])
            for story in ["stories/class-7b", "stories/school"] as [TreePath] {
                let copy = try #require(try await tree.get(story / id.key))
                #expect(copy["audiences"] == nil, "members of one audience need not know of the other")
                #expect(copy["photos"] == post["photos"])
                #expect(copy["author"]?["uid"] == "maria")
                #expect(copy["published"] == post["published"])
            }
            for place in ["posts", "hashtags", "feed", "people/maria/posts", "stats/people/maria"] as [TreePath] {
                #expect(try await tree.get(place) == nil, "\(place)")
            }
            for list in [PostNodes.published(), PostNodes.publishedBy(record.owner), PostNodes.position()] {
                #expect(try await tree.get(list) == nil, "\(list)")
            }
            let changes = try await tree.changes(since: token, limit: 100)
            let commits = changes.map { change in
                change.writes.map(\.path).filter { !$0.namespace.isReserved && "\($0)".contains(id.description) }
            }.filter { !$0.isEmpty }
            #expect(
                commits.map { $0.map { "\($0)" }.sorted() } == [
                    ["/audience_posts/\(id)", "/stories/class-7b/\(id)", "/stories/school/\(id)"]
                ])
        }
    }

    @Test("The files of an audience's deleted post stay closed in the grace period, and are deleted after it")
    func deleted() async throws {
        try await withClass { running in
            let (tree, pipeline) = (running.storage.tree, running.pipeline)
            let record = try await upload(running)
            let restricted = AudienceNodes.restrictedMedia(record.id.key) / record.owner.key
            _ = try await pipeline.publisher.deletePost(record.id, by: .admin)
            #expect(try await tree.get("stories") == nil)
            try await pipeline.janitor.sweep()
            #expect(try await files(of: record, running) > 1)
            #expect(try await pipeline.unclaimed.list().isEmpty)
            #expect(try await tree.get(restricted) == true)
            try await tree.set(FileNodes.deleted(record.id), to: 0)
            try await pipeline.janitor.sweep()
            #expect(try await files(of: record, running) == 0)
            #expect(try await tree.get(restricted) == nil)
            #expect(try await pipeline.store.record(of: record.id)?.state == .deleted)
        }
    }

    @Test("A post is deleted with its last audience, and not before")
    func lastAudience() async throws {
        try await withClass { running in
            let (tree, pipeline) = (running.storage.tree, running.pipeline)
            let (one, both) = (
                try await upload(running), try await upload(running, "exif-gps.jpg", for: ["class-7b", "school"])
            )
            try await tree.set("audiences/class-7b", to: nil)
            #expect(try await tree.get("memberships") == ["maria": ["school": "poster"]], "at once")
            try await eventually { try await tree.get(AudienceNodes.post(one.id)) == nil }
            try await eventually { try await tree.get(AudienceNodes.post(both.id))?["audiences"] == ["school": true] }
            #expect(try await tree.get("stories/school" / both.id.key) != nil)
            #expect(try await tree.get("memberships") == ["maria": ["school": "poster"]])
            try await tree.set(FileNodes.deleted(one.id), to: 0)
            try await pipeline.janitor.sweep()
            #expect(try await files(of: one, running) == 0)
            #expect(try await files(of: both, running) > 1)
        }
    }

    @Test("A user who may not post for an audience is refused when the upload begins", arguments: ["jan", "eve"])
    func refused(user: String) async throws {
        try await withClass(runs: false) { running in
            var refusal: Failure?
            do {
                _ = try await reserve(running, by: user)
            } catch let failure as Failure {
                refusal = failure
            }
            #expect(refusal?.code == (user == "jan" ? .notAllowed : .notMember))
            #expect(try await running.storage.tree.get(UploadNodes.queued()) == nil)
        }
    }

    @Test(
        "Changes until the end of an upload count",
        arguments: ["audiences/class-7b", "audiences/class-7b/members/maria"])
    func changed(path: String) async throws {
        try await withClass { running in
            let tree = running.storage.tree
            try await tree.set("audiences/class-7b/members/zoe", to: "owner")
            let record = try await reserve(running)
            try await tree.set(try TreePath(path), to: nil)
            let end = try await send("rgb-8.png", record, running)
            #expect(end.state == .failed)
            #expect(end.error?.code == .notMember)
            #expect(try await tree.get(AudienceNodes.post()) == nil)
            #expect(try await tree.get(PostNodes.post()) == nil)
            try await eventually { try await files(of: record, running) == 0 }
        }
    }

    @Test("The same photos are a duplicate only among posts for the same audiences")
    func duplicates() async throws {
        try await withClass { running in
            let first = try await upload(running, duplicates: .link)
            let again = try await upload(running, duplicates: .link)
            #expect(again.state == .duplicate)
            #expect(again.duplicateOf == first.id)
            #expect(try await upload(running, for: ["school"], duplicates: .link).state == .published)
            #expect(try await upload(running, for: ["class-7b", "school"], duplicates: .link).state == .published)
            let hash = try #require(first.orderedPhotos.first?.sha256)
            #expect(try await running.pipeline.index.post(of: first.owner, showing: [hash]) == nil)
            let everybodys = try await upload(running, for: [], duplicates: .link)
            #expect(everybodys.state == .published)
            #expect(try await running.pipeline.index.post(of: first.owner, showing: [hash]) == everybodys.id)
        }
    }

    @Test("New renditions and scrubbed originals also reach posts for audiences, and their copies")
    func jobs() async throws {
        try await withClass { running in
            let (tree, pipeline) = (running.storage.tree, running.pipeline)
            let record = try await upload(running, "exif-gps.jpg")
            let path = AudienceNodes.post(record.id)
            try await tree.set(path / "photos" / "0" / "renditions" / "thumb", to: nil)
            var selection = PostSelection()
            for user in [nil, record.owner] {
                selection.user = user
                #expect(
                    try await Rethumb(pipeline.tools, selection: selection, isDryRun: true).run { _ in }.switched == 1)
            }
            let progress = try await Rethumb(pipeline.tools, selection: selection, isDryRun: false).run { _ in }
            #expect(progress.switched == 1)
            #expect(try await tree.get(path / "photos" / "0" / "renditions" / "thumb") != nil)
            let photos = try await tree.get(path / "photos")
            #expect(try await tree.get("stories/class-7b" / record.id.key / "photos") == photos)
            let scrubbed = try await OriginalScrub(pipeline.tools, isCheck: false).run { _ in }
            #expect(scrubbed.switched == 1)
            try await pipeline.janitor.sweep()
            #expect(try await files(of: record, running) > 1)
            #expect(try await pipeline.unclaimed.list().isEmpty)
        }
    }
}
