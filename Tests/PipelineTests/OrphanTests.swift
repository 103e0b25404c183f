import Blobs
import Foundation
import Posts
import TestSupport
import Testing
import Tree

@testable import Pipeline

@Suite("The files of what is gone", .timeLimit(.minutes(5)))
struct OrphanTests {
    /// Deletes a post as a client of the database does.
    private func delete(_ record: UploadRecord, in tree: TreeStore) async throws {
        var update = MultiPathUpdate()
        update[Paths.post(record.id)] = nil
        update[Paths.postsOf(record.owner) / record.id.key] = nil
        update[Paths.feed(record.owner) / record.id.key] = nil
        try await tree.update(update)
    }

    @Test("The files of a deleted post go when the grace period is over, and no others")
    func deleted() async throws {
        try await withPipeline { running in
            let storage = running.storage
            var records: [UploadRecord] = []
            for _ in 0..<2 {
                let id = try await running.accept("rgb-8.png", by: "maria")
                records.append(try await running.pipeline.outcome(of: id))
            }
            try await delete(records[0], in: storage.tree)

            try await running.pipeline.collectOrphans()
            #expect(try files(of: records[0], in: storage).count > 1, "whoever saw the post still sees its pictures")
            let note = Paths.orphan(records[0].id)
            #expect(try await storage.tree.get(note) != nil)

            // The grace period is over.
            try await storage.tree.set(note / "after", to: 0)
            try await running.pipeline.collectOrphans()
            #expect(try files(of: records[0], in: storage).isEmpty)
            #expect(try await storage.tree.get(note) == nil)
            #expect(try files(of: records[1], in: storage).count > 1)
        }
    }

    @Test("A post that is written again in time keeps its files")
    func undeleted() async throws {
        try await withPipeline { running in
            let storage = running.storage
            let id = try await running.accept("rgb-8.png", by: "maria")
            let record = try await running.pipeline.outcome(of: id)
            let post = try await storage.tree.get(Paths.post(id))
            try await delete(record, in: storage.tree)
            try await running.pipeline.collectOrphans()
            try await storage.tree.set(Paths.post(id), to: post)
            try await storage.tree.set(Paths.orphan(id) / "after", to: 0)
            try await running.pipeline.collectOrphans()
            #expect(try files(of: record, in: storage).count > 1)
            #expect(try await storage.tree.get(Paths.orphan(id)) == nil)
        }
    }

    @Test("What is still to be published, or to be put aside, is no orphan")
    func unfinished() async throws {
        try await withPipeline(runs: false) { running in
            let id = try await running.accept("rgb-8.png", by: "maria")
            try await running.pipeline.collectOrphans()
            #expect(try await running.storage.tree.get(Paths.orphan(id)) == nil)
        }
    }

    @Test("Renditions that an earlier try made by other recipes are listed as garbage by the commit")
    func leftovers() async throws {
        try await withPipeline { running in
            let storage = running.storage
            let stale = "Storage/blobs/maria"
            var request = UploadRequest(owner: try #require(UserID("maria")), door: .socket)
            request.text = "x"
            guard case .new(let record) = try await running.pipeline.reserve(request) else { return }
            let staged = try await running.pipeline.stage(record.id)
            try Fixture.bytes("rgb-8.png").withUnsafeBytes { try staged.write($0) }
            let photo = try await running.pipeline.ingest(staged, as: 0, originalName: "a.png", of: record)
            try running.scratch.write([1], to: "\(stale)/\(record.id)/full-00000000.jpg")
            try await running.pipeline.accept(record.id, photos: [photo], text: "x")
            _ = try await running.pipeline.outcome(of: record.id)
            let garbage = try await storage.tree.children(of: Paths.garbage)
            #expect(garbage.count == 1)
            #expect(
                garbage.first?.value["blobs"]?.object?.values.compactMap(\.stringValue)
                    == ["maria/\(record.id)/full-00000000.jpg"])
        }
    }

    private func files(of record: UploadRecord, in storage: Storage) throws -> [String] {
        try storage.blobs.fileNames(userID: record.owner.description, postID: record.id.description)
    }
}
