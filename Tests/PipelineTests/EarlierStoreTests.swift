import API
import Cryptography
import Files
import Foundation
import Imaging
import Keeping
import Model
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

/// `Fixtures/store-0.1` was written by version 0.1.0: six posts of three users, one of them deleted, a draft, an upload that
/// failed, a duplicate that was dropped, an idempotency key, and a tree of another name with rules.
@Suite("A store of an earlier version is opened, served and re-thumbnailed")
struct EarlierStoreTests {
    private func withStore(
        settings: (inout PipelineSettings) -> Void = { _ in }, _ body: @Sendable (RunningPipeline) async throws -> Void
    ) async throws {
        try await withScratch { scratch in
            try FileManager.default.copyItem(
                atPath: Fixture.path("store-0.1"), toPath: scratch.path + "/Storage")
            try await withPipeline(
                in: scratch,
                settings: {
                    // The draft is older than the lifetime of drafts; on a slow machine it would expire during a test.
                    $0.draftLifetime = .seconds(1000 * 366 * 86_400)
                    settings(&$0)
                }
            ) { running in
                try await eventually { running.storage.upgrade.state == .unconfirmed }
                try running.storage.confirmUpgrade()
                try await body(running)
            }
        }
    }

    private func posts(_ running: RunningPipeline) async throws -> [(id: PostID, record: TreeValue)] {
        try await running.storage.tree.children(of: PostNodes.post()).map { child in
            (try #require(PostID(child.key.string)), child.value)
        }
    }

    @Test("The store's posts can be shown, with every file that they name")
    func served() async throws {
        try await withStore { running in
            let posts = try await posts(running)
            #expect(
                posts.map { $0.record["author"]?["uid"]?.stringValue } == ["maria", "maria", "ann", "bob", "maria"])
            for (id, record) in posts {
                #expect(PostShape.fault(of: record) == nil)
                for photo in try #require(PostPhotos.read(record)) {
                    for rendition in photo.renditions.values {
                        let name = try BlobName(
                            userID: try #require(record["author"]?["uid"]?.stringValue), postID: id.description,
                            fileName: rendition.fileName)
                        #expect(try await running.storage.blobs.open(name).byteCount() == rendition.byteCount)
                    }
                }
            }
            #expect(running.storage.age.mismatch == nil && running.pipeline.janitor.hold == nil)
            #expect(try await running.pipeline.unclaimed.list().isEmpty)
            let app = try Namespace("app")
            #expect(try await running.storage.tree.get(TreePath(["mine", "a", "x"], in: app)) == 1)
            #expect(try await running.storage.tree.rules(of: app)?.contains("indexOn") == true)
        }
    }

    @Test("The store's posts are in the order of their ids, and newly published posts precede them")
    func ordered() async throws {
        try await withStore { running in
            let reader = PostReader(running.storage.tree)
            let known = try await posts(running).map { $0.id.key }
            #expect(
                try await reader.page(of: PostNodes.published(), before: nil, limit: 10).items.map(\.id)
                    == known.reversed())
            let draft = try #require(try await running.pipeline.store.unfinished(from: .socket).first)
            try await running.pipeline.store.drafts.publish(draft.id, text: "sent later")
            _ = try await running.pipeline.store.end(of: draft.id)
            #expect(
                try await reader.page(of: PostNodes.published(), before: nil, limit: 10).items.map(\.id) == [
                    draft.id.key
                ]
                    + known.reversed())
            let ann = try await reader.page(
                of: PostNodes.publishedBy(try #require(UserID("ann"))), before: nil, limit: 10
            ).items
            #expect(!ann.isEmpty && ann.allSatisfy { $0.record["author"]?["uid"] == "ann" })
        }
    }

    @Test("The store's uploads continue: a draft is published, a key finds its post, bytes find theirs")
    func uploads() async throws {
        try await withStore { running in
            let draft = try #require(try await running.pipeline.store.unfinished(from: .socket).first)
            #expect(draft.state == .draft && draft.photos.count == 1)
            try await running.pipeline.store.drafts.publish(draft.id, text: "sent later")
            #expect(try await running.pipeline.store.end(of: draft.id).state == .published)
            let bytes = try Fixture.bytes("size-97x61.jpg")
            let again = try await running.upload([("a.jpg", bytes)], by: "maria", reference: "first")
            #expect(again.text == "At the lake #summer" && again.state == .published)
            let gif = sha256(of: try Fixture.bytes("size-24x16.gif"))
            let maria = try #require(UserID("maria"))
            #expect(try await running.pipeline.index.post(of: maria, showing: [gif]) != nil)
        }
    }

    @Test("The store's posts get renditions of other recipes; replaced and deleted files are swept")
    func rethumbnailed() async throws {
        let recipes = [try Recipe(parsing: "thumb=50"), try Recipe(parsing: "full=90")]
        try await withStore(settings: {
            $0.recipes = recipes
            $0.gracePeriod = .zero
        }) { running in
            let progress = try await Rethumb(running.pipeline.tools, selection: .init(), isDryRun: false).run { _ in }
            #expect(progress.switched == 4 && progress.failed == 0, "\(progress)")
            try await eventually {
                try await running.pipeline.janitor.sweep()
                return try await running.storage.blobs.postIDs(userID: "bob").isEmpty
            }
            for (id, record) in try await posts(running) {
                let photos = try #require(PostPhotos.read(record))
                guard !photos.isEmpty else { continue }
                #expect(photos.allSatisfy { $0.renditions.keys.sorted() == ["full", "thumb"] })
                let user = try #require(record["author"]?["uid"]?.stringValue)
                let files = try await running.storage.blobs.fileNames(userID: user, postID: id.description)
                #expect(files.count == 3 * photos.count, "\(files)")
            }
        }
    }
}
