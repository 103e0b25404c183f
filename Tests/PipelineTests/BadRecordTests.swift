import API
import Files
import Imaging
import Model
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

@testable import Keeping

@Suite("Malformed data of a client stop neither publishing nor later work", .timeLimit(.minutes(20)))
struct BadRecordTests {
    private static let junk: [TreeValue] = [
        "junk", 17, true, ["x": "y"], ["after": "soon", "blobs": "all", "owner": 5, "state": "?", "at": "then"],
        ["after": 0, "blobs": ["0": "../../etc/passwd", "1": "a/b", "2": ""], "owner": "../.."],
    ]

    @Test(
        "Junk at every path that clients and the service share: photos are published, swept, re-thumbnailed beside it"
    )
    func junkEverywhere() async throws {
        try await withScratch { scratch in
            let bytes = try Fixture.bytes("size-97x61.jpg")
            try await withPipeline(in: scratch) { running in
                let tree = running.storage.tree
                let first = try await running.upload([("a.jpg", bytes)], by: "maria")
                #expect(first.state == .published)
                let places: [TreePath] = [
                    PostNodes.post(), "feed/maria", "hashtags", "people", "people/maria/posts",
                ]
                for place in places {
                    for (number, value) in Self.junk.enumerated() {
                        for key in ["junk\(number)", "-0000000000000000\(100 + number)"] {
                            try await tree.set(place / (try TreeKey(key)), to: value)
                        }
                    }
                }
                try await tree.set("people/maria/full_name", to: ["no": "name"])
                try await tree.set("people/maria/profile_picture", to: 5)
                try await running.pipeline.janitor.sweep()
                try await running.pipeline.unclaimed.look()
                let second = try await running.upload([("b.jpg", bytes)], by: "maria", text: "#tag")
                #expect(second.state == .published)
            }
            // A new start, with different recipes.
            let recipes = [try Recipe(parsing: "thumb=50")]
            try await withPipeline(in: scratch, settings: { $0.recipes = recipes }) { running in
                let result = try await Rethumb(running.pipeline.tools, selection: .init(), isDryRun: false).run { _ in }
                #expect(result.switched == 2 && result.failed == 0, "\(result)")
                #expect(try await running.upload([("c.jpg", bytes)], by: "maria").state == .published)
            }
        }
    }

    @Test(
        "A post whose photos a client spoiled is named and skipped; the others are switched",
        arguments: [
            ("photos", "junk"), ("photos/0", "junk"), ("photos/0/width", 9_223_372_036_854_775_807),
            ("photos/0/height", "tall"), ("photos/0/renditions/thumb", 5),
            ("photos/0/renditions/thumb/width", -1),
        ] as [(TreePath, TreeValue)])
    func spoiltPhotos(place: TreePath, value: TreeValue) async throws {
        try await withScratch { scratch in
            let bytes = try Fixture.bytes("size-97x61.jpg")
            let spoilt = Shared<PostID?>(nil)
            try await withPipeline(in: scratch) { running in
                let first = try await running.upload([("a.jpg", bytes), ("b.jpg", bytes)], by: "maria")
                _ = try await running.upload([("c.jpg", bytes)], by: "maria")
                spoilt.change { $0 = first.id }
                try await running.storage.tree.set(
                    TreePath(PostNodes.post(first.id).keys + place.keys), to: value)
            }
            let recipes = [try Recipe(parsing: "thumb=50")]
            try await withPipeline(in: scratch, settings: { $0.recipes = recipes }) { running in
                let result = try await Rethumb(running.pipeline.tools, selection: .init(), isDryRun: false).run { _ in }
                #expect(result.switched == 1 && result.failed == 1, "\(result)")
                #expect(result.lastFailure?.contains("\(try #require(spoilt.value))") == true)
            }
        }
    }

    @Test("An original that a client lists as a rendition is never deleted as a replaced one")
    func originalNamedAsRendition() async throws {
        try await withScratch { scratch in
            let bytes = try Fixture.bytes("size-97x61.jpg")
            let id = Shared<PostID?>(nil)
            try await withPipeline(in: scratch) { running in
                let record = try await running.upload([("a.jpg", bytes)], by: "maria")
                id.change { $0 = record.id }
                let photo = PostNodes.post(record.id) / "photos" / "0"
                for (name, file) in [("mine", "original.jpg"), ("other", "../../x")] {
                    try await running.storage.tree.set(
                        photo / "renditions" / (try TreeKey(name)),
                        to: [
                            "storage_uri": .string("blobs/maria/\(record.id)/\(file)"), "url": "/x", "width": 1,
                            "height": 1, "bytes": 1, "content_type": "image/jpeg",
                        ])
                }
                try await running.storage.tree.set(
                    FileNodes.garbage() / "0",
                    to: ["after": 0, "blobs": ["0": .string("maria/\(record.id)/original.jpg")]])
            }
            let recipes = [try Recipe(parsing: "thumb=50")]
            try await withPipeline(
                in: scratch,
                settings: {
                    $0.recipes = recipes
                    $0.gracePeriod = .zero
                }
            ) { running in
                let result = try await Rethumb(running.pipeline.tools, selection: .init(), isDryRun: false).run { _ in }
                #expect(result.switched == 1, "\(result)")
                running.clock.advance()
                try await running.pipeline.janitor.sweep()
                let files = try await running.storage.blobs.fileNames(
                    userID: "maria", postID: try #require(id.value).description)
                #expect(files.contains("original.jpg"), "\(files)")
            }
        }
    }
}
