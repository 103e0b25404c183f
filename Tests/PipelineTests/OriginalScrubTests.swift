import API
import Access
import Cryptography
import Files
import Imaging
import Model
import Service
import Store
import TestSupport
import Testing
import Tree

@testable import Keeping
@testable import Uploads

@Suite("Removing the location from stored originals: a new file, one update of the record, the old file later")
struct OriginalScrubTests {
    private static let photos = ["places/gps-ii.jpg", "places/kept-xmp.jpg", "places/gps.png"]

    private func job(_ running: RunningPipeline, user: String? = nil, isCheck: Bool = false) -> OriginalScrub {
        OriginalScrub(running.pipeline.tools, user: user.flatMap { UserID($0) }, isCheck: isCheck)
    }

    private func publish(_ running: RunningPipeline, by user: String = "maria") async throws -> UploadRecord {
        let photos = try Self.photos.map { (name: "a", bytes: try Fixture.bytes($0)) }
        let record = try await running.upload(photos, by: user)
        #expect(record.state == .published)
        return record
    }

    /// The bytes of a post's originals, read by the names in its record.
    private func originals(_ running: RunningPipeline, _ id: PostID) async throws -> [[UInt8]] {
        let record = try #require(try await running.pipeline.store.record(of: id))
        var files: [[UInt8]] = []
        for name in try record.originals {
            files.append(try await running.storage.blobs.open(name).readAll(maxBytes: 1 << 20))
        }
        return files
    }

    private func names(_ running: RunningPipeline, _ id: PostID) async throws -> [String] {
        try await running.storage.blobs.fileNames(userID: "maria", postID: id.description)
    }

    @Test("A photo with a location gets another file; the post, its renditions and digest stay; a second run is idle")
    func scrubbed() async throws {
        try await withPipeline { running in
            let record = try await publish(running)
            _ = try await running.upload([], by: "maria", text: "no photo")
            let before = try await running.storage.tree.get("posts")
            let sent = try Self.photos.map(Fixture.bytes)
            let expected = try sent.map { try LocationScrubber.scrub($0).bytes }
            let check = try await job(running, isCheck: true).run { _ in }
            #expect(check.switched == 1 && check.total == 2 && check.failed == 0)
            #expect(try await originals(running, record.id) == sent)

            let progress = try await job(running).run { _ in }
            #expect(progress.switched == 1 && progress.total == 2 && progress.failed == 0)
            #expect(try await originals(running, record.id) == expected)
            #expect(try await running.storage.tree.get("posts") == before)
            let after = try #require(try await running.pipeline.store.record(of: record.id))
            #expect(after.orderedPhotos.map(\.sha256) == record.orderedPhotos.map(\.sha256))
            #expect(after.orderedPhotos.map(\.byteCount) == record.orderedPhotos.map(\.byteCount))
            let stored = zip(expected, sent).map { new, old in new == old ? nil : sha256(of: new) }
            #expect(after.orderedPhotos.map(\.storedSHA256) == stored)
            #expect(after.orderedPhotos[0].fileName.hasPrefix("original-scrubbed-"))
            #expect(after.orderedPhotos[1].fileName == "original-2.jpg", "it has no location to remove")
            #expect(after.orderedPhotos[2].fileName.hasPrefix("original-3-scrubbed-"))

            let files = try await names(running, record.id)
            let again = try await job(running).run { _ in }
            #expect(again.switched == 0 && again.failed == 0)
            #expect(try await names(running, record.id) == files)
            // The photos as they were sent no longer exist, but their digests do.
            let hashes = record.orderedPhotos.map(\.sha256)
            let maria = try #require(UserID("maria"))
            #expect(try await running.pipeline.index.post(of: maria, showing: hashes) == record.id)
            #expect(try await !running.pipeline.index.hasOriginals(hashes, of: record.id))
        }
    }

    @Test("Only the old files are deleted after the grace period; then the post can be rendered again")
    func grace() async throws {
        try await withPipeline(settings: { $0.gracePeriod = .seconds(100) }) { running in
            let record = try await publish(running)
            _ = try await job(running).run { _ in }
            try await running.pipeline.janitor.sweep()
            #expect(try await names(running, record.id).contains("original.jpg"))
            running.clock.advance(by: 101_000)
            try await running.pipeline.janitor.sweep()
            let names = try await names(running, record.id)
            #expect(names.filter { $0.hasPrefix("original") }.count == 3)
            #expect(!names.contains("original.jpg") && names.contains("original-2.jpg"))
            let after = try #require(try await running.pipeline.store.record(of: record.id))
            #expect(after.orderedPhotos.allSatisfy { names.contains($0.fileName) })
            #expect(try await running.storage.tree.get(FileNodes.garbage()) == nil)
        }
    }

    @Test("Files of a crash before the switch are garbage, and the next run reuses them")
    func crashed() async throws {
        try await withPipeline(settings: { $0.gracePeriod = .zero }) { running in
            let record = try await publish(running)
            let bytes = try LocationScrubber.scrub(Fixture.bytes(Self.photos[0])).bytes
            let name = try BlobName(
                userID: "maria", postID: record.id.description,
                fileName: "original-scrubbed-\(sha256(of: bytes).prefix(16)).jpg")
            // Simulates a run that ended after the file was written.
            try await running.storage.blobs.put([(name, bytes)])
            try await running.storage.tree.set(
                FileNodes.garbage() / "0", to: ["after": 0, "blobs": ["0": .string("\(name)")]])
            let progress = try await job(running).run { _ in }
            #expect(progress.switched == 1)
            running.clock.advance()
            try await running.pipeline.janitor.sweep()
            #expect(try await originals(running, record.id)[0] == bytes)
            #expect(try await running.storage.tree.get(FileNodes.garbage()) == nil)
        }
    }

    @Test("Only selected posts are scrubbed; a photo that cannot be parsed is named, and does not stop the others")
    func selection() async throws {
        try await withPipeline { running in
            let record = try await publish(running)
            let other = try await running.upload([("b", try Fixture.bytes(Self.photos[0]))], by: "noah")
            try running.scratch.write("no photo", to: "Storage/blobs/maria/\(record.id)/original.jpg")
            let progress = try await job(running, user: "maria").run { _ in }
            #expect(progress.total == 1 && progress.failed == 1)
            #expect(progress.lastFailure?.contains("\(record.id)") == true)
            let after = try #require(try await running.pipeline.store.record(of: record.id))
            #expect(after.orderedPhotos[0].fileName == "original.jpg")
            #expect(after.orderedPhotos[2].fileName.hasPrefix("original-3-scrubbed-"))
            #expect(try await originals(running, other.id) == [Fixture.bytes(Self.photos[0])])
            try await running.storage.blobs.remove(
                .init(userID: "noah", postID: other.id.description, fileName: "original.jpg"))
            let error = await #expect(throws: Failure.self) {
                _ = try await job(running).scrub(other.id, by: .admin)
            }
            #expect(error?.code == .originalMissing)
        }
    }
}
