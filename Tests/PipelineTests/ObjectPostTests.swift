import API
import Access
import Files
import Foundation
import Imaging
import Model
import NIOCore
import Service
import Store
import TestSupport
import Testing
import Tree

@testable import Keeping
@testable import Uploads

@Suite("Posts of Firebase's clients, whose photo is an object", .timeLimit(.minutes(20)))
struct ObjectPostTests {
    private static let days: Int64 = 3 * 24 * 3600 * 1000
    private static let origin = "http://127.0.0.1:9000"

    private func put(
        _ fixture: String, as name: String = "maria/full/1795329600000/a.jpg", in running: RunningPipeline
    ) async throws -> StoredObject {
        let objects = running.pipeline.objects
        let upload = try await objects.beginUpload()
        try await upload.write(ByteBuffer(bytes: try Fixture.bytes(fixture)))
        var metadata = ObjectMetadata()
        try metadata.suggest(contentType: "image/jpeg")
        return try await objects.put(
            try await upload.finish(), as: try #require(ObjectName(name)), metadata
        ) { _ in }
    }

    /// Returns a post as FriendlyPix's web client writes it.
    private func post(
        naming name: String, by author: String = "maria", uri: String? = nil, text: String = "#sunny"
    ) -> TreeValue {
        let encoded = name.replacing("/", with: "%2F")
        return [
            "full_url": .string("\(Self.origin)/v0/b/demo.appspot.com/o/\(encoded)?alt=media&token=t"),
            "thumb_url": .string("\(Self.origin)/v0/b/demo.appspot.com/o/thumb?alt=media&token=t"),
            "full_storage_uri": .string(uri ?? "gs://demo.appspot.com/\(name)"),
            "thumb_storage_uri": "gs://demo.appspot.com/thumb", "client": "web", "text": .string(text),
            "timestamp": 1_795_329_600_000, "author": ["uid": .string(author), "full_name": "Maria"],
        ]
    }

    private func id(_ object: StoredObject) throws -> PostID { try #require(PostID(object.blob.postID)) }

    private func files(_ object: StoredObject, in running: RunningPipeline) async throws -> [String] {
        try await running.storage.blobs.fileNames(userID: object.blob.userID, postID: object.blob.postID)
    }

    /// Waits until the photo of an object is rendered.
    private func render(_ object: StoredObject, in running: RunningPipeline) async throws -> UploadRecord {
        try await running.pipeline.store.end(of: try id(object))
    }

    /// Expects a complete post with the renditions of an object.
    private func expect(_ post: PostID, shows object: StoredObject, in running: RunningPipeline) async throws {
        let value = try #require(try await running.storage.tree.get(PostNodes.post(post)))
        let photo = try #require(PostPhotos.read(value)?.first)
        #expect(Set(photo.renditions.keys).isSuperset(of: ["full", "thumb"]) && photo.width > 0)
        let files = Set(try await files(object, in: running))
        #expect(files.isSuperset(of: photo.renditions.values.map(\.fileName)))
        let thumb = try #require(photo.renditions["thumb"]?.fileName)
        let name = "maria%2Frendition%2F\(object.blob.postID)%2F\(thumb)"
        #expect(value["thumb_url"]?.stringValue == "\(Self.origin)/v0/b/demo.appspot.com/o/\(name)?alt=media")
        #expect(value["full_url"]?.stringValue?.hasSuffix("token=t") == true)
        #expect(value["kind"]?.stringValue == "photo_text" && value["published"]?.integerValue != nil)
        #expect(PostShape.fault(of: value) == nil)
        #expect(try await running.storage.tree.get(PostNodes.tagged("sunny" as TreeKey) / post.key) == true)
    }

    @Test("S12: A rendered photo is added to the post in the commit that names it, in each way of naming it")
    func rendered() async throws {
        try await withPipeline { running in
            let tree = running.storage.tree
            let object = try await put("exif-gps.jpg", in: running)
            #expect(object.blob.fileName == "original.jpg")
            _ = try await render(object, in: running)
            let name = object.name.description
            for uri in [nil, name, "gs://other.bucket/\(name)", "gs://x/nothing", "nonsense", ""] {
                let id = running.storage.ids.next()
                let token = try await tree.update(
                    MultiPathUpdate(setting: PostNodes.post(id), to: post(naming: name, uri: uri)))
                try await expect(id, shows: object, in: running)
                #expect(try await tree.snapshot { try $0.token } == token, "one commit")
            }
        }
    }

    @Test(
        "A photo that is not rendered yet is added later, also through a crash; the client's thumb serves until then")
    func unrendered() async throws {
        try await withScratch { scratch in
            let known = Shared<(PostID, StoredObject)?>(nil)
            try await withPipeline(in: scratch, runs: false) { running in
                let object = try await put("exif-gps.jpg", in: running)
                let id = running.storage.ids.next()
                try await running.storage.tree.set(PostNodes.post(id), to: post(naming: object.name.description))
                let value = try #require(try await running.storage.tree.get(PostNodes.post(id)))
                #expect(value["photos"] == nil && value["thumb_url"]?.stringValue?.contains("/o/thumb?") == true)
                #expect(value["published"]?.integerValue != nil)
                known.change { $0 = (id, object) }
            }
            let (id, object) = try #require(known.value)
            try await withPipeline(in: scratch) { running in
                _ = try await render(object, in: running)
                try await expect(id, shows: object, in: running)
            }
        }
    }

    @Test("A name of no photo of the author's is left as it is")
    func others() async throws {
        try await withPipeline { running in
            let tree = running.storage.tree
            let object = try await put("exif-gps.jpg", in: running)
            let plain = try await put("exif-gps.jpg", as: "maria/thumb/1/a.jpg", in: running)
            let text = try await put("exif-gps.jpg", as: "maria/full/1/2/a.jpg", in: running)
            #expect(plain.blob.fileName == "object" && text.blob.fileName == "object")
            _ = try await render(object, in: running)
            for post in [
                post(naming: object.name.description, by: "eve"), post(naming: plain.name.description),
                post(naming: text.name.description), post(naming: "maria/full/1/none.jpg"),
            ] {
                let id = running.storage.ids.next()
                try await tree.set(PostNodes.post(id), to: post)
                #expect(try await tree.get(PostNodes.post(id)) == post)
            }
            #expect(try await tree.keys(of: ObjectNodes.link()).isEmpty)
        }
    }

    @Test("A file that is not a photo stays a plain object; a photo that cannot be decoded keeps its bytes")
    func broken() async throws {
        try await withPipeline { running in
            let objects = running.pipeline.objects
            for (bytes, isPhoto) in [
                (Array("text".utf8), false), (Array(try Fixture.bytes("exif-gps.jpg").prefix(300)), true),
            ] {
                let upload = try await objects.beginUpload()
                try await upload.write(ByteBuffer(bytes: bytes))
                let name = try #require(ObjectName("maria/full/1/x.jpg"))
                let object = try await objects.put(try await upload.finish(), as: name, ObjectMetadata()) { _ in }
                #expect((object.blob.fileName == "object") != isPhoto)
                if isPhoto { #expect(try await render(object, in: running).state == .failed) }
                #expect(try await running.storage.blobs.open(object.blob).readAll(maxBytes: 1000) == bytes)
                running.clock.advance(by: Self.days)
                try await running.pipeline.janitor.sweep()
                #expect(try await files(object, in: running).count == 1)
            }
        }
    }

    /// The order in which the object and the post are deleted.
    enum Order: CaseIterable { case objectFirst, postFirst }

    @Test("S13: Object and post are deleted in either order, and leave no files", arguments: Order.allCases)
    func deletion(_ order: Order) async throws {
        try await withPipeline { running in
            let (tree, pipeline) = (running.storage.tree, running.pipeline)
            let object = try await put("exif-gps.jpg", in: running)
            _ = try await render(object, in: running)
            let ids = [running.storage.ids.next(), running.storage.ids.next()]
            for id in ids { try await tree.set(PostNodes.post(id), to: post(naming: object.name.description)) }
            func deleteObject() async throws { try await pipeline.objects.delete(object.name) { _ in } }
            func deletePosts() async throws {
                var update = MultiPathUpdate()
                for id in ids { update[PostNodes.post(id)] = nil }
                try await tree.update(update)
            }
            func sweep() async throws {
                running.clock.advance(by: Self.days)
                try await pipeline.janitor.sweep()
            }
            if order == .objectFirst { try await deleteObject() } else { try await deletePosts() }
            try await sweep()
            #expect(try await files(object, in: running).count > 1, "the other needs them")
            if order == .objectFirst {
                // After a change by its author, the post still has its photo.
                try await tree.set(PostNodes.post(ids[0]) / "text", to: "#sunny day")
                try await expect(ids[0], shows: object, in: running)
                try await deletePosts()
            } else {
                try await deleteObject()
            }
            try await sweep()
            #expect(try await files(object, in: running).isEmpty)
            for path in [ObjectNodes.link(), ObjectNodes.file(), ObjectNodes.object(), FileNodes.deleted()] {
                #expect(try await tree.keys(of: path).isEmpty, "\(path)")
            }
            #expect(try await tree.get(TreePath(["posts_of_objects"], in: .pipeline)) == nil)
            #expect(try await pipeline.store.record(of: try id(object))?.state == .deleted)
            #expect(try await pipeline.unclaimed.list().isEmpty)
        }
    }

    @Test("A post that its client writes again keeps its photo; a post that names another photo gets that one")
    func rewritten() async throws {
        try await withPipeline { running in
            let tree = running.storage.tree
            let first = try await put("exif-gps.jpg", in: running)
            let second = try await put("size-97x61.jpg", as: "maria/full/1/b.jpg", in: running)
            for object in [first, second] { _ = try await render(object, in: running) }
            let id = running.storage.ids.next()
            for object in [first, first, second] {
                try await tree.set(PostNodes.post(id), to: post(naming: object.name.description))
                try await expect(id, shows: object, in: running)
            }
            try await tree.set(PostNodes.post(id) / "full_storage_uri", to: "maria/full/1/none")
            try await tree.set(PostNodes.post(id) / "full_url", to: "https://photos.example/x.jpg")
            #expect(try await tree.get(PostNodes.post(id) / "photos") == nil)
            #expect(try await tree.keys(of: ObjectNodes.link()).isEmpty)
        }
    }

    @Test(
        "With moderation, only its owner sees an object until it passes; a refused object is deleted",
        arguments: ["pass", "blur", "refuse"])
    func moderated(decision: String) async throws {
        let moderator = Moderator(photos: .bytes) { _ in Array(#"{"decision":"\#(decision)"}"#.utf8) }
        try await withScratch { scratch in
            let known = Shared<(PostID, StoredObject)?>(nil)
            try await withPipeline(in: scratch, runs: false, moderator: moderator) { running in
                let object = try await put("exif-gps.jpg", in: running)
                let id = running.storage.ids.next()
                try await running.storage.tree.set(PostNodes.post(id), to: post(naming: object.name.description))
                #expect(try await running.restriction(of: object.blob, isOriginal: true) == .always)
                known.change { $0 = (id, object) }
            }
            let (id, object) = try #require(known.value)
            try await withPipeline(in: scratch, moderator: moderator) { running in
                let record = try await render(object, in: running)
                #expect(record.moderation?.decision.rawValue ?? "refuse" == decision)
                switch decision {
                case "pass", "blur":
                    try await expect(id, shows: object, in: running)
                    let value = try #require(try await running.storage.tree.get(PostNodes.post(id)))
                    #expect(PostPhotos.read(value)?.first?.isBlurred == (decision == "blur"))
                    #expect(
                        try await running.restriction(of: object.blob, isOriginal: true)
                            == (decision == "blur" ? .unlessSigned : .none))
                default:
                    #expect(record.state == .failed)
                    #expect(try await running.pipeline.objects.object(object.name) == nil)
                    #expect(try await running.storage.tree.get(PostNodes.post(id) / "photos") == nil)
                }
            }
        }
    }

    @Test("Re-thumbnailing, moderation and scrubbing work on these posts, and change the object as well")
    func jobs() async throws {
        try await withPipeline { running in
            let (tree, pipeline) = (running.storage.tree, running.pipeline)
            let object = try await put("exif-gps.jpg", in: running)
            _ = try await render(object, in: running)
            let id = running.storage.ids.next()
            try await tree.set(PostNodes.post(id), to: post(naming: object.name.description))
            let before = try await tree.get(PostNodes.post(id) / "photos")

            var settings = pipeline.settings
            settings.recipes = [try Recipe(parsing: "thumb=50"), try Recipe(parsing: "full=90")]
            pipeline.adopt(settings)
            let progress = try await Rethumb(pipeline.tools, selection: .init(), isDryRun: false).run { _ in }
            #expect(progress.switched == 1 && progress.failed == 0, "\(progress)")
            try await expect(id, shows: object, in: running)
            #expect(try await tree.get(PostNodes.post(id) / "photos") != before)
            #expect(try await Rethumb(pipeline.tools, selection: .init(), isDryRun: false).run { _ in }.switched == 0)
            // A client that writes it again gets the new ones.
            try await tree.set(PostNodes.post(id), to: post(naming: object.name.description))
            try await expect(id, shows: object, in: running)

            let documents = try await OriginalScrub(pipeline.tools, isCheck: false).scrub(id, by: .admin)
            #expect(documents.map(\.outcome) == [.scrubbed])
            let scrubbed = try #require(try await pipeline.objects.object(object.name))
            #expect(scrubbed.blob != object.blob && scrubbed.tokens == object.tokens)
            #expect(scrubbed.objectGeneration > object.objectGeneration && scrubbed.md5 != object.md5)
            running.clock.advance(by: Self.days)
            try await pipeline.janitor.sweep()
            try await expect(id, shows: object, in: running)
            #expect(
                try await running.storage.blobs.open(scrubbed.blob).byteCount() == scrubbed.byteCount,
                "the old file is deleted, not the new one")

            let refused = ModerationVerdict(.refuse, reason: "no")
            _ = try await pipeline.moderation.moderate(id, refused)
            #expect(try await tree.get(PostNodes.post(id)) == nil)
            #expect(try await pipeline.objects.object(object.name) == nil)
            running.clock.advance(by: Self.days)
            try await pipeline.janitor.sweep()
            #expect(try await files(object, in: running).isEmpty)
        }
    }
}
