import API
import Access
import Files
import Imaging
import Keeping
import Model
import Service
import Store
import TestSupport
import Testing
import Tree

@testable import Uploads

@Suite("The life of a post, on every blob store")
struct BlobStorePipelineTests {
    /// The available stores: a new one needs a case here, and a line in `make`.
    enum Kind: CaseIterable {
        case folder, memory

        /// A store of the kind; nil for the service's own folder.
        func make() -> (any BlobStore)? {
            switch self {
            case .folder: nil
            case .memory: MemoryBlobStore()
            }
        }
    }

    private static let photo = "baseline-420.jpg"

    private func upload(_ running: RunningPipeline, _ file: String = photo) async throws -> UploadRecord {
        try await running.upload([(file, try Fixture.bytes(file))], by: "maria", text: "At the lake")
    }

    private func names(of record: UploadRecord, _ running: RunningPipeline) async throws -> Set<String> {
        Set(try await running.storage.blobs.fileNames(userID: "maria", postID: record.id.description))
    }

    @Test("A post names its original and its renditions, and each is stored in its size", arguments: Kind.allCases)
    func publish(kind: Kind) async throws {
        try await withPipeline(blobs: kind.make()) { running in
            let record = try await upload(running)
            #expect(record.state == .published)
            let photo = try #require(record.orderedPhotos.first)
            var wanted = photo.files.mapValues(\.byteCount)
            #expect(wanted.count == 5)
            wanted[photo.fileName] = photo.byteCount
            let files = try await running.storage.blobs.files(userID: "maria", postID: record.id.description)
            #expect(Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.byteCount) }) == wanted)
            let original = try await running.storage.blobs.open(record.blobName(photo.fileName))
            #expect(try original.readAll(maxBytes: 1 << 24) == Fixture.bytes(Self.photo))
            #expect(try original.sha256() == photo.sha256)
            #expect(running.scratch.exists("Storage/blobs") == (kind == .folder))
            try await eventually { try running.storage.incoming.names().allSatisfy { $0.hasPrefix(".") } }
        }
    }

    @Test("A photo that was posted before leads to its post, and leaves no files", arguments: Kind.allCases)
    func duplicate(kind: Kind) async throws {
        try await withPipeline(blobs: kind.make()) { running in
            let first = try await upload(running)
            let second = try await running.upload(
                [(Self.photo, try Fixture.bytes(Self.photo))], by: "maria", duplicates: .link)
            #expect(second.state == .duplicate && second.duplicateOf == first.id)
            try await eventually { try await running.storage.tree.get(UploadNodes.queued()) == nil }
            #expect(try await names(of: second, running) == [])
            #expect(try await running.storage.blobs.postIDs(userID: "maria") == [first.id.description])
        }
    }

    @Test("An undecodable file is put aside with its bytes, and is no longer a blob", arguments: Kind.allCases)
    func failure(kind: Kind) async throws {
        try await withPipeline(blobs: kind.make()) { running in
            let file = "truncated-baseline-420.jpg"
            let record = try await upload(running, file)
            #expect(record.state == .failed)
            try await eventually { try await running.storage.tree.get(UploadNodes.queued()) == nil }
            #expect(try await names(of: record, running) == [])
            let folder = try running.storage.failed.folder(below: [try #require(record.error?.code.rawValue), "maria"])
            let name = "upload\(record.id).original.jpg"
            #expect(try folder.file(name).readAll(maxBytes: 1 << 24) == Fixture.bytes(file))
            #expect(Set(try folder.names()) == [name, "\(name).json", "\(name).reason.json"])
        }
    }

    @Test("Only the deleted post's files are deleted when the grace period ends", arguments: Kind.allCases)
    func deleted(kind: Kind) async throws {
        try await withPipeline(blobs: kind.make()) { running in
            let (gone, kept) = (try await upload(running), try await upload(running, "rgb-8.png"))
            _ = try await running.pipeline.publisher.deletePost(gone.id, by: .admin)
            try await running.pipeline.janitor.sweep()
            #expect(try await names(of: gone, running).count > 1)
            try await running.storage.tree.set(FileNodes.deleted(gone.id), to: 0)
            try await running.pipeline.janitor.sweep()
            #expect(try await names(of: gone, running) == [])
            #expect(try await running.pipeline.store.record(of: gone.id)?.state == .deleted)
            #expect(try await names(of: kept, running).count > 1)
        }
    }

    @Test(
        "A service that starts with other recipes renders again, and the old files are deleted later",
        arguments: Kind.allCases)
    func rethumb(kind: Kind) async throws {
        let blobs = kind.make()
        try await withScratch { scratch in
            let known = Shared<(record: UploadRecord, names: Set<String>)?>(nil)
            try await withPipeline(in: scratch, blobs: blobs) { running in
                let record = try await upload(running)
                let made = try await names(of: record, running)
                known.change { $0 = (record, made) }
            }
            let recipes = [try Recipe(parsing: "full=96"), try Recipe(parsing: "thumb=48,cover")]
            try await withPipeline(
                in: scratch, blobs: blobs,
                settings: {
                    $0.recipes = recipes
                    $0.gracePeriod = .zero
                }
            ) { running in
                #expect(running.storage.age.mismatch == nil)
                let (record, before) = try #require(known.value)
                let job = Rethumb(running.pipeline.tools, selection: PostSelection(), isDryRun: false)
                let progress = try await job.run { _ in }
                #expect(progress.switched == 1 && progress.failed == 0)
                #expect(try await names(of: record, running).isSuperset(of: before))
                running.clock.advance()
                try await running.pipeline.janitor.sweep()
                let value = try #require(try await running.storage.tree.get(PostNodes.post(record.id)))
                let shown = try #require(PostPhotos.read(value)).flatMap { $0.renditions.values.map(\.fileName) }
                #expect(try await names(of: record, running) == Set(shown + ["original.jpg"]))
            }
        }
    }

    @Test(
        "An audit finds missing and unknown files, and nothing in a sound store", arguments: Kind.allCases)
    func audit(kind: Kind) async throws {
        try await withPipeline(blobs: kind.make()) { running in
            let (store, blobs) = (try await StoreCheckStore(running), running.storage.blobs)
            #expect(try await store.audit(.check).findings.isEmpty)
            let files = try await blobs.fileNames(userID: "maria", postID: store.post.string)
            let thumb = try #require(files.first { $0.hasPrefix("thumb-") })
            try await blobs.remove(BlobName(userID: "maria", postID: store.post.string, fileName: thumb))
            let lost = "-OaZzZzZzZzZzZzZzZzZ"
            try await blobs.put([
                (BlobName(userID: "maria", postID: lost, fileName: "original.jpg"), [1, 2, 3]),
                (BlobName(userID: "maria", postID: "old", fileName: "a"), [1]),
            ])
            let found = try await store.audit(.check).findings
            #expect(Set(found.map(\.kind)) == [.renditionMissing, .unclaimedFiles, .fileMisplaced], "\(found)")
            #expect(try await running.pipeline.unclaimed.list().map(\.post) == [lost])
            try await running.pipeline.unclaimed.remove(try #require(PostID(lost)), of: "maria")
            #expect(try await blobs.postIDs(userID: "maria").contains(lost) == false)
        }
    }

    @Test("Blobs without a tree are reported in every kind of store", arguments: Kind.allCases)
    func treeLost(kind: Kind) async throws {
        let blobs = kind.make()
        try await withScratch { scratch in
            try await withPipeline(in: scratch, blobs: blobs) { _ = try await upload($0) }
            for name in try scratch.directory().folder("Storage").names() where name.hasPrefix("tree.") {
                try scratch.directory().folder("Storage").remove(name)
            }
            try await withPipeline(in: scratch, blobs: blobs) { running in
                #expect(running.storage.age.mismatch?.code == .treeLost)
            }
        }
    }
}
