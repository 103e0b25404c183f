import API
import Files
import Keeping
import Model
import NIOCore
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

@Suite("P5, P7, FriendlyPix 4: the id first, then photos, then the text; only then does the post exist")
struct DraftTests {
    private func draft(_ running: RunningPipeline) async throws -> UploadRecord {
        var request = UploadRequest(owner: try #require(UserID("maria")), intake: .socket)
        request.isDraft = true
        let record = try await running.reserve(request)
        return record
    }

    private func add(_ file: String, to id: PostID, _ running: RunningPipeline) async throws -> UploadRecord {
        var session = try await running.pipeline.receiver.resumeDraft(id)
        try await session.receive(try Fixture.bytes(file), named: file)
        return try await session.keepDraft(text: "")
    }

    /// Whether the draft accepted the photo; it may be published before its sender finishes.
    private func isAcknowledged(_ file: String, to id: PostID, _ running: RunningPipeline) async -> Bool {
        do {
            var session = try await running.pipeline.receiver.resumeDraft(id)
            try await session.receive(try Fixture.bytes(file), named: file)
            _ = try? await session.keepDraft(text: "")
            return true
        } catch {
            return false
        }
    }

    @Test func photosAreAddedThenPublished() async throws {
        try await withPipeline { running in
            let id = try await draft(running).id
            let one = try await add("orientation-6-ii.jpg", to: id, running)
            #expect(one.photos[0]?.rendered?.renditions["thumb"] != nil, "rendered at once")
            await #expect(throws: Failure.self) { try await add("truncated-baseline-420.jpg", to: id, running) }
            _ = try await add("rgb-8.png", to: id, running)
            #expect(try await running.storage.tree.get("posts") == nil, "nothing is visible yet")
            #expect(try await running.storage.tree.get("people") == nil)
            try await running.pipeline.store.drafts.publish(id, text: "Two #photos")
            #expect(try await running.pipeline.store.end(of: id).state == .published)
            let post = try #require(try await running.storage.tree.get(PostNodes.post(id)))
            #expect(PostPhotos.read(post)?.count == 2, "the refused one left no trace")
            let again = await #expect(throws: Failure.self) {
                try await running.pipeline.store.drafts.publish(id, text: "again")
            }
            #expect(again?.code == .wrongState)
        }
    }

    @Test("Photos that are added at the same time get different numbers")
    func concurrently() async throws {
        try await withPipeline { running in
            let id = try await draft(running).id
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 { group.addTask { _ = try await add("baseline-420.jpg", to: id, running) } }
                try await group.waitForAll()
            }
            #expect(try await running.pipeline.store.record(of: id)?.photos.count == 6)
        }
    }

    @Test(
        "A photo acknowledged while the draft was being published is in the post, or the draft was published first"
    )
    func publishingMeanwhile() async throws {
        try await withPipeline { running in
            for _ in 0..<10 {
                let id = try await draft(running).id
                _ = try await add("baseline-420.jpg", to: id, running)
                async let isAcknowledged = isAcknowledged("baseline-420.jpg", to: id, running)
                try await running.pipeline.store.drafts.publish(id, text: "now")
                let count = await isAcknowledged ? 2 : 1
                #expect(try await running.pipeline.store.end(of: id).photos.count == count)
            }
        }
    }

    @Test("The limit for photos holds however many arrive at once")
    func limitUnderConcurrency() async throws {
        try await withPipeline(settings: { $0.maxPhotos = 5 }) { running in
            let id = try await draft(running).id
            let added = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 {
                    group.addTask { (try? await add("baseline-420.jpg", to: id, running)) != nil }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(added == 5)
            #expect(try await running.pipeline.store.record(of: id)?.photos.count == 5)
        }
    }

    @Test("A draft that is left alone expires with its blobs")
    func expiry() async throws {
        try await withPipeline(runs: false, settings: { $0.draftLifetime = .zero }) { running in
            let id = try await draft(running).id
            _ = try await add("baseline-420.jpg", to: id, running)
            running.clock.advance()
            try await running.pipeline.janitor.sweep()
            #expect(try await running.pipeline.store.record(of: id)?.state == .expired)
            #expect(try await running.storage.blobs.fileNames(userID: "maria", postID: id.description).isEmpty)
        }
    }

    @Test func limits() async throws {
        try await withPipeline(settings: { $0.maxPhotos = 1 }) { running in
            let id = try await draft(running).id
            let empty = await #expect(throws: Failure.self) {
                try await running.pipeline.store.drafts.publish(id, text: "")
            }
            #expect(empty?.code == .emptyPost)
            _ = try await add("baseline-420.jpg", to: id, running)
            let full = await #expect(throws: Failure.self) { try await add("baseline-420.jpg", to: id, running) }
            #expect(full?.code == .tooManyPhotos)
        }
    }
}
