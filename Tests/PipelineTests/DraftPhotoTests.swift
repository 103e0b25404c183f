import API
import Cryptography
import Files
import Keeping
import Model
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

@Suite("A draft's photo that arrives in several requests is added once, or not at all")
struct DraftPhotoTests {
    private static let photo = "baseline-420.jpg"

    private func draft(_ running: RunningPipeline) async throws -> UploadRecord {
        var request = UploadRequest(owner: try #require(UserID("maria")), intake: .socket)
        request.isDraft = true
        return try await running.reserve(request)
    }

    private func begun(_ draft: PostID, _ running: RunningPipeline, length: Int) async throws -> PostID {
        let draft = try await running.pipeline.store.drafts.record(of: draft)
        guard
            case .new(let record) = try await running.pipeline.resumable.begin(
                .init(name: "a.jpg", alt: "A photo", length: length), of: draft, clientReference: nil)
        else {
            struct IsKnown: Error {}
            throw IsKnown()
        }
        return record.id
    }

    /// A draft, and a photo for it whose bytes have all arrived.
    private func received(_ running: RunningPipeline) async throws -> (draft: PostID, id: PostID) {
        let bytes = try Fixture.bytes(Self.photo)
        let draft = try await self.draft(running).id
        let id = try await begun(draft, running, length: bytes.count)
        try await running.pipeline.files.withFile(id) { try await $0.receive([bytes]) }
        return (draft, id)
    }

    @Test("All bytes had arrived when the service ended: the next run adds the photo once, wherever its bytes are")
    func recovery() async throws {
        let bytes = try Fixture.bytes(Self.photo)
        // Before the bytes were moved to the blob store, and after.
        for isMoved in [false, true] {
            try await withScratch { scratch in
                let known = Shared<[PostID]>([])
                try await withPipeline(in: scratch, runs: false) { running in
                    let draft = try await self.draft(running).id
                    // Another photo was begun earlier: this photo is the second.
                    let first = try await begun(draft, running, length: 9)
                    let ids = [draft, first, try await begun(draft, running, length: bytes.count)]
                    known.change { $0 = ids }
                    try await running.pipeline.files.withFile(ids[2]) { try await $0.receive([bytes]) }
                }
                let (draft, id) = (known.value[0], known.value[2])
                if isMoved {
                    try scratch.write(bytes, to: "Storage/blobs/maria/\(draft)/original-2.jpg")
                    try Directory(path: "\(scratch.path)/Storage/incoming").remove("\(id).partial")
                }
                try await withPipeline(in: scratch) { running in
                    let end = try await running.pipeline.store.end(of: id)
                    #expect(end.state == .published, "moved: \(isMoved)")
                    #expect(end.lastByte == bytes.count)
                    try await running.pipeline.janitor.sweep()
                    let record = try await running.pipeline.store.drafts.record(of: draft)
                    #expect(record.photos.keys.sorted() == [1])
                    #expect(record.photos[1]?.sha256 == sha256(of: bytes) && record.photos[1]?.alt == "A photo")
                    #expect(record.photos[1]?.rendered != nil)
                    #expect(try await running.pipeline.files.record(of: id) == nil)
                    try await running.pipeline.store.drafts.publish(draft, text: "")
                    #expect(try await running.pipeline.store.end(of: draft).state == .published)
                }
            }
        }
    }

    @Test("A photo that two requests finish is added once")
    func twice() async throws {
        // Without a sweep, which would finish the photo itself.
        try await withPipeline(runs: false) { running in
            let (draft, id) = try await received(running)
            let (files, uploads) = (running.pipeline.files, running.pipeline.resumable)
            let ends = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        let end = try? await files.withFile(id, isBrief: true) { try await uploads.accept($0) }
                        return end?.state == .published
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(ends == 1)
            #expect(try await running.pipeline.store.drafts.record(of: draft).photos.count == 1)
            #expect(try await running.pipeline.store.record(of: id)?.state == .published)
            try await running.pipeline.store.drafts.publish(draft, text: "")
            #expect(try await running.pipeline.store.record(of: draft)?.photos.count == 1)
            #expect(try await running.pipeline.store.unfinished(from: .socket).map(\.id) == [draft])
            #expect(try running.storage.incoming.names().isEmpty)
        }
    }

    @Test("A draft that was published meanwhile accepts no photo, and nothing of the photo stays")
    func publishedMeanwhile() async throws {
        // Without a sweep, which would finish the photo itself.
        try await withPipeline(runs: false) { running in
            let (draft, id) = try await received(running)
            let (files, uploads) = (running.pipeline.files, running.pipeline.resumable)
            try await running.pipeline.store.drafts.publish(draft, text: "without")
            let error = await #expect(throws: Failure.self) {
                try await files.withFile(id) { _ = try await uploads.accept($0) }
            }
            #expect(error?.code == .wrongState)
            #expect(try await running.pipeline.store.record(of: id)?.error?.code == .wrongState)
            #expect(try await running.storage.blobs.fileNames(userID: "maria", postID: "\(draft)").isEmpty)
            #expect(try running.storage.incoming.names().isEmpty)
        }
    }

    @Test("A draft does not expire while a photo arrives; both expire when they are left alone")
    func expiry() async throws {
        let bytes = try Fixture.bytes(Self.photo)
        try await withPipeline(runs: false, settings: { $0.draftLifetime = .seconds(60) }) { running in
            let store = running.pipeline.store
            let draft = try await self.draft(running).id
            let id = try await begun(draft, running, length: bytes.count)
            running.clock.advance(by: 50_000)
            try await running.pipeline.files.withFile(id) { try await $0.receive([Array(bytes[..<100])]) }
            running.clock.advance(by: 50_000)
            try await running.pipeline.janitor.sweep()
            #expect(try await store.record(of: draft)?.state == .draft)
            #expect(try await store.record(of: id)?.state == .receiving)
            running.clock.advance(by: 11_000)
            try await running.pipeline.janitor.sweep()
            #expect(try await store.record(of: draft)?.state == .expired)
            #expect(try await store.record(of: id)?.state == .expired)
            try await running.pipeline.janitor.sweep()
            #expect(try running.storage.incoming.names().isEmpty)
        }
    }
}
