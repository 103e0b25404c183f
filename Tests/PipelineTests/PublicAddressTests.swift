import API
import Access
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

@Suite("Posts of a service with a public address", .timeLimit(.minutes(20)))
struct PublicAddressTests {
    private static let place = PublicBase(origin: "https://photos.example.org", bucket: "demo.appspot.com")
    private static let moved = PublicBase(origin: "https://pictures.example.org", bucket: "demo.appspot.com")
    private static let fixture = "baseline-420.jpg"

    /// All addresses in a post: those of the first photo, and of each rendition.
    private func addresses(in post: TreeValue) -> Set<String> {
        let photos = post["photos"]?.object ?? [:]
        let renditions = photos.values.flatMap { photo in (photo["renditions"]?.object ?? [:]).values }
        let fields = [post["full_url"], post["thumb_url"]] + renditions.map { $0["url"] }
        return Set(fields.compactMap { $0?.stringValue })
    }

    private func posts(_ running: RunningPipeline) async throws -> [TreeValue] {
        try await running.storage.tree.children(of: PostNodes.post()).map(\.value)
    }

    private func files(of record: UploadRecord, _ running: RunningPipeline) async throws -> [String] {
        try await running.storage.blobs.fileNames(
            userID: record.owner.description, postID: record.id.description
        ).sorted()
    }

    private func rethumb(
        _ running: RunningPipeline, onlyMissing: Bool = false, isDryRun: Bool = false
    ) async throws -> Int {
        var selection = PostSelection()
        selection.onlyMissing = onlyMissing
        let progress = try await Rethumb(running.pipeline.tools, selection: selection, isDryRun: isDryRun).run { _ in }
        #expect(progress.failed == 0)
        return progress.switched
    }

    @Test(
        "S15: All addresses in a post begin with the address, and are paths without one; files are named as ever",
        arguments: [place, nil])
    func published(place: PublicBase?) async throws {
        try await withPipeline(publicBase: place) { running in
            let photos = [("a.jpg", try Fixture.bytes(Self.fixture)), ("b.jpg", try Fixture.bytes("exif-gps.jpg"))]
            let record = try await running.upload(photos, by: "maria", text: "Two")
            let post = try #require(try await running.storage.tree.get(PostNodes.post(record.id)))
            let prefix =
                place == nil
                ? "/media/maria/\(record.id)/"
                : "https://photos.example.org/v0/b/demo.appspot.com/o/maria%2Frendition%2F\(record.id)%2F"
            let addresses = addresses(in: post)
            #expect(addresses.count == 10 && addresses.allSatisfy { $0.hasPrefix(prefix) }, "\(addresses)")
            let named = Set(addresses.compactMap { MediaAddress($0)?.fileName })
            #expect(named.isSubset(of: try await files(of: record, running)) && named.count == 10)
            for field in ["full", "thumb"] {
                let uri = try #require(post[try TreeKey("\(field)_storage_uri")]?.stringValue)
                #expect(running.scratch.exists("Storage/\(uri)"))
            }
            #expect(PostShape.fault(of: post) == nil)

            // The same photos again lead to the same post.
            let again = try await running.upload(photos, by: "maria", text: "Two", duplicates: .link)
            #expect(again.state == .duplicate && again.duplicateOf == record.id)

            _ = try await running.pipeline.publisher.deletePost(record.id, by: .admin)
            try await running.storage.tree.set(FileNodes.deleted(record.id), to: 0)
            try await running.pipeline.janitor.sweep()
            #expect(try await files(of: record, running).isEmpty)
            #expect(try await running.pipeline.unclaimed.list().isEmpty)
        }
    }

    @Test("S15: After a change of the address, rethumb updates it in the posts, without rendering")
    func moved() async throws {
        try await withScratch { scratch in
            let known = Shared<(UploadRecord, [String])?>(nil)
            try await withPipeline(in: scratch) { running in
                let record = try await running.upload([("a.jpg", try Fixture.bytes(Self.fixture))], by: "maria")
                _ = try await running.upload([], by: "maria", text: "no photo")
                let files = try await files(of: record, running)
                known.change { $0 = (record, files) }
            }
            let (record, names) = try #require(known.value)
            for (place, prefix) in [
                (Self.place, "https://photos.example.org/"), (Self.moved, "https://pictures.example.org/"),
                (nil, "/media/"),
            ] as [(PublicBase?, String)] {
                try await withPipeline(in: scratch, publicBase: place) { running in
                    let before = try await posts(running)
                    #expect(try await rethumb(running, onlyMissing: true) == 0, "no file is missing")
                    #expect(try await rethumb(running, isDryRun: true) == 1)
                    #expect(try await posts(running) == before)
                    #expect(try await rethumb(running) == 1)
                    let post = try #require(try await running.storage.tree.get(PostNodes.post(record.id)))
                    let addresses = addresses(in: post)
                    #expect(addresses.count == 5 && addresses.allSatisfy { $0.hasPrefix(prefix) }, "\(addresses)")
                    #expect(try await files(of: record, running) == names)
                    #expect(try await running.storage.tree.get(FileNodes.garbage()) == nil)
                    #expect(try await rethumb(running) == 0)
                }
            }
        }
    }

    @Test("Other recipes leave posts at their addresses, those of clients as well as the service's own")
    func recipes() async throws {
        try await withScratch { scratch in
            try await withPipeline(in: scratch, publicBase: Self.place) { running in
                _ = try await running.upload([("a.jpg", try Fixture.bytes(Self.fixture))], by: "maria")
                let objects = running.pipeline.objects
                let upload = try await objects.beginUpload()
                try await upload.write(ByteBuffer(bytes: try Fixture.bytes("exif-gps.jpg")))
                var metadata = ObjectMetadata()
                try metadata.suggest(contentType: "image/jpeg")
                let name = try #require(ObjectName("maria/full/1/a.jpg"))
                let object = try await objects.put(try await upload.finish(), as: name, metadata) { _ in }
                _ = try await running.pipeline.store.end(of: try #require(PostID(object.blob.postID)))
                try await running.storage.tree.set(
                    PostNodes.post(running.storage.ids.next()),
                    to: [
                        "full_url":
                            "http://10.0.0.1/v0/b/demo.appspot.com/o/maria%2Ffull%2F1%2Fa.jpg?alt=media&token=t",
                        "full_storage_uri": "maria/full/1/a.jpg", "timestamp": 1,
                        "author": ["uid": "maria", "full_name": "Maria"],
                    ])
                for post in try await posts(running) { expectAtPlace(post) }
            }
            let recipe = try Recipe(parsing: "thumb=50,q60")
            try await withPipeline(in: scratch, publicBase: Self.place, settings: { $0.recipes = [recipe] }) {
                running in
                let before = Set(try await posts(running).map { $0["thumb_url"]?.stringValue })
                #expect(try await rethumb(running) == 2)
                let after = try await posts(running)
                for post in after { expectAtPlace(post) }
                let isRenewed = before.isDisjoint(with: after.map { $0["thumb_url"]?.stringValue })
                #expect(isRenewed)
                #expect(try await rethumb(running) == 0)
            }
        }
    }

    /// Expects the service's part of a post to be at its address, and a client's `full_url` to be unchanged.
    private func expectAtPlace(_ post: TreeValue) {
        let addresses = addresses(in: post).filter { !$0.contains("%2Ffull%2F") }
        #expect(!addresses.isEmpty)
        let prefix = "https://photos.example.org/v0/b/demo.appspot.com/o/maria%2Frendition%2F"
        #expect(addresses.allSatisfy { $0.hasPrefix(prefix) }, "\(addresses)")
        #expect(post["thumb_url"]?.stringValue.map { addresses.contains($0) } == true)
    }
}
