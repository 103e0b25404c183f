import API
import Access
import Files
import Imaging
import Model
import Service
import Social
import Store
import TestSupport
import Testing
import Tree
import Uploads

@testable import Keeping

@Suite("An audit beside deletions", .timeLimit(.minutes(20)))
struct StoreCheckDeletionTests {
    @Test(
        "Data written for a deleted post are not mistaken for the remains of a lost one, and are deleted",
        arguments: ["likes", "comments"], [false, true])
    func late(list: String, isSwept: Bool) async throws {
        try await withPipeline(settings: { $0.gracePeriod = .zero }) { running in
            let store = try await StoreCheckStore(running)
            _ = try await running.pipeline.publisher.deletePost(store.post, by: .admin)
            try await eventually { try await store.tree.get(WorkNodes.followUpTask()) == nil }
            if isSwept {
                running.clock.advance()
                try await running.pipeline.janitor.sweep()
                #expect(try await store.record(store.post).state == .deleted)
            }
            // A client of the database, in an earlier version, that still showed the post.
            let place = TreePath([try TreeKey(list), store.post.key])
            let comment: TreeValue = ["author": ["uid": "jan", "full_name": "jan"], "text": "Nice", "timestamp": 1]
            var update = MultiPathUpdate()
            update[place / "jan"] = list == "likes" ? 1 : comment
            update.scope = .removal  // After the removal of such writes by the current version.
            try await store.tree.update(update)
            try await eventually { try await store.tree.get(WorkNodes.followUpTask()) == nil }

            let found = try await store.audit(.check).findings
            #expect(found.map(\.kind) == [.entryDangling] && found.map(\.path) == ["\(place)"], "\(found)")
            let repaired = try await store.audit(.repair, changes: true)
            #expect(repaired.last.findings.isEmpty, "\(repaired.findings)")
            #expect(try await store.tree.get(place) == nil)
            #expect(try await store.audit(.check).findings.isEmpty)
        }
    }

    @Test("Files that are created and deleted with their post while the folder is read are not missing")
    func meanwhile() async throws {
        try await withPipeline(settings: { $0.gracePeriod = .zero }) { running in
            let store = try await StoreCheckStore(running)
            let (pipeline, id) = (running.pipeline, store.post)
            // A file that nothing names has the folder listed twice.
            try running.scratch.write([1, 2, 3], to: "Storage/blobs/maria/\(id)/thumb-stray.jpg")
            let blobs = InterleavedBlobs(running.storage.blobs) {
                var settings = pipeline.settings
                settings.recipes = [try Recipe(parsing: "full=96"), try Recipe(parsing: "thumb=48,cover")]
                pipeline.adopt(settings)
                let progress = try await Rethumb(pipeline.tools, selection: PostSelection(), isDryRun: false).run {
                    _ in
                }
                #expect(progress.switched > 0 && progress.failed == 0)
            } beforeSecondList: {
                _ = try await pipeline.publisher.deletePost(id, by: .admin)
                running.clock.advance()
                try await pipeline.janitor.sweep()
                #expect(try await store.record(id).state == .deleted)
            }
            let inspection = try await FolderInspection(
                of: id, owner: "maria", knowing: GarbageNames(), in: store.tree, beside: blobs)
            #expect(inspection.claims.byName.keys.contains { $0.hasPrefix("thumb-") }, "the post still existed")
            #expect(inspection.findings.isEmpty, "\(inspection.findings.map(\.document))")
        }
    }
}

/// A blob store with an interruption between the two lists of a folder.
private struct InterleavedBlobs: BlobStore {
    typealias Event = @Sendable () async throws -> Void

    private let base: any BlobStore
    private let afterFirstList: Event
    private let beforeSecondList: Event

    init(_ base: any BlobStore, afterFirstList: @escaping Event, beforeSecondList: @escaping Event) {
        (self.base, self.afterFirstList, self.beforeSecondList) = (base, afterFirstList, beforeSecondList)
    }

    func page(of walk: BlobWalk, limit: Int) async throws(FileError) -> BlobPage {
        if walk.detail == .names { await happen(beforeSecondList) }
        let page = try await base.page(of: walk, limit: limit)
        if walk.detail == .sizes { await happen(afterFirstList) }
        return page
    }

    private func happen(_ event: Event) async {
        do { try await event() } catch { Issue.record(error) }
    }

    // MARK: Unchanged

    func put(_ staged: StagedFile, as name: BlobName) async throws(FileError) { try await base.put(staged, as: name) }

    func put(_ blobs: [(name: BlobName, bytes: [UInt8])]) async throws(FileError) -> [Int] { try await base.put(blobs) }

    func reader(of name: BlobName) async throws(FileError) -> BlobReader { try await base.reader(of: name) }

    func remove(_ names: [BlobName]) async throws(FileError) { try await base.remove(names) }

    func mark() async throws(FileError) -> [UInt8]? { try await base.mark() }

    func setMark(_ bytes: [UInt8]) async throws(FileError) { try await base.setMark(bytes) }

    func probe() async throws(FileError) { try await base.probe() }
}
