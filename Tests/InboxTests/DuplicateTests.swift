import API
import Files
import Model
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

@Suite("A file whose bytes its user has posted before", .timeLimit(.minutes(20)))
struct DuplicateTests {
    private static let photo = "baseline-420.jpg"

    @Test("link: there is no second post, and the receipt names the first; another user's file is a post")
    func link() async throws {
        try await withInbox(settings: { $0.duplicates.general = .link }) { running in
            try running.drop(Self.photo, as: "maria/first.jpg")
            let first = try await running.document("done/maria/first.jpg.receipt.json")
            #expect(first["outcome"] == "published" && first["post"] == first["upload"])
            try running.drop(Self.photo, as: "maria/second.jpg")
            try running.drop(Self.photo, as: "pavel/his.jpg")
            let second = try await running.document("done/maria/second.jpg.receipt.json")
            #expect(second["outcome"] == "duplicate" && second["post"] == first["post"])
            #expect(second["kept"] == "0", "the post has its bytes")
            let his = try await running.document("done/pavel/his.jpg.receipt.json")
            #expect(his["outcome"] == "published")
            #expect(try await running.posts().count == 2)
            let id = try #require(second["upload"].flatMap { PostID($0) })
            let record = try #require(try await running.pipeline.store.record(of: id))
            #expect(record.state == .duplicate && record.duplicateOf?.description == first["post"])
            try await eventually {
                try await running.storage.blobs.fileNames(userID: "maria", postID: id.description).isEmpty
            }
            try await eventually { try await running.storage.tree.get(UploadNodes.queued()) == nil }
        }
    }

    @Test("The text of a duplicate is added to a post that has none, and to no other")
    func words() async throws {
        try await withInbox(settings: { $0.duplicates.general = .link }, intake: waitingForPhotos) { running in
            try running.drop(Self.photo, as: "maria/first.jpg")
            let first = try await running.document("done/maria/first.jpg.receipt.json")
            let post = PostNodes.post(try #require(first["post"].flatMap { PostID($0) }))
            for (name, text) in [("second", "At the #lake"), ("third", "At the sea")] {
                try running.scratch.write(
                    #"{"text": "\#(text)", "alt": "A jetty"}"#, to: "Storage/inbox/maria/\(name).jpg.json")
                try running.drop(Self.photo, as: "maria/\(name).jpg")
                let receipt = try await running.document("done/maria/\(name).jpg.receipt.json")
                #expect(receipt["outcome"] == "duplicate")
                #expect(try await running.storage.tree.get(post / "text") == "At the #lake")
                #expect(try await running.storage.tree.get(post / "photos" / "0" / "alt") == "A jetty")
            }
            #expect(try await running.storage.tree.get("hashtags/lake") != nil)
        }
    }

    @Test("A post of several photos is a duplicate when it has the same photos in the same order, and only then")
    func severalPhotos() async throws {
        try await withInbox(settings: { $0.duplicates.general = .link }) { running in
            let (one, two) = (try Fixture.bytes(Self.photo), try Fixture.bytes("rgb-8.png"))
            for (name, photos) in [("a", [one, two]), ("b", [two, one]), ("c", [one]), ("d", [one, two])] {
                for (number, bytes) in photos.enumerated() {
                    try running.drop(bytes, as: "../packing/\(name).post/\(number).bin")
                }
                try running.move("packing/\(name).post", to: "inbox/maria/\(name).post")
                let receipt = try await running.document("done/maria/\(name).post.receipt.json")
                #expect(receipt["outcome"] == (name == "d" ? "duplicate" : "published"), "\(name)")
            }
            #expect(try await running.posts().count == 3)
        }
    }

    @Test("Exactly one of many equal files at once is a post; all others name it")
    func atOnce() async throws {
        try await withInbox(settings: { $0.duplicates.general = .link }) { running in
            for number in 0..<24 { try running.drop(Self.photo, as: "maria/\(number).jpg") }
            var outcomes: [String: Int] = [:]
            var posts: Set<String> = []
            for number in 0..<24 {
                let receipt = try await running.document("done/maria/\(number).jpg.receipt.json")
                outcomes[receipt["outcome"] ?? "none", default: 0] += 1
                posts.insert(receipt["post"] ?? "none")
            }
            #expect(outcomes == ["published": 1, "duplicate": 23])
            #expect(try await running.posts().count == 1 && posts.count == 1)
        }
    }

    @Test("After the first post is deleted, the bytes are new again")
    func deleted() async throws {
        try await withInbox(settings: { $0.duplicates.general = .link }) { running in
            try running.drop(Self.photo, as: "maria/first.jpg")
            let first = try await running.document("done/maria/first.jpg.receipt.json")
            let id = try #require(first["post"].flatMap { PostID($0) })
            try await running.storage.tree.set(PostNodes.post(id), to: nil)
            try running.drop(Self.photo, as: "maria/again.jpg")
            let again = try await running.document("done/maria/again.jpg.receipt.json")
            #expect(again["outcome"] == "published" && again["post"] != first["post"])
            try running.drop(Self.photo, as: "maria/third.jpg")
            let third = try await running.document("done/maria/third.jpg.receipt.json")
            #expect(third["outcome"] == "duplicate" && third["post"] == again["post"])
        }
    }

    @Test("Each user's own policy holds: reject puts the file aside, new-post posts it again")
    func policies() async throws {
        let policies = try #require(DuplicatePolicies(parsing: "link pavel=reject kim=new-post"))
        try await withInbox(settings: { $0.duplicates = policies }) { running in
            for user in ["pavel", "kim"] {
                try running.drop(Self.photo, as: "\(user)/first.jpg")
                _ = try await running.document("done/\(user)/first.jpg.receipt.json")
                try running.drop(Self.photo, as: "\(user)/second.jpg")
            }
            let reason = try await running.document("failed/duplicate/pavel/second.jpg.reason.json")
            #expect(reason["code"] == "duplicate" && reason["message"]?.contains("second.jpg") == true)
            let receipt = try await running.document("done/kim/second.jpg.receipt.json")
            #expect(receipt["outcome"] == "published")
            #expect(try await running.posts().count == 3)
        }
    }

    @Test("The inbox recognizes photos posted by HTTP; a photo sent by HTTP is always a post")
    func otherIntake() async throws {
        try await withInbox(settings: { $0.duplicates.general = .link }) { running in
            let bytes = try Fixture.bytes(Self.photo)
            let first = try await running.upload([("a.jpg", bytes)], by: "maria")
            try running.drop(Self.photo, as: "maria/a.jpg")
            let receipt = try await running.document("done/maria/a.jpg.receipt.json")
            #expect(receipt["outcome"] == "duplicate" && receipt["post"] == first.id.description)
            let second = try await running.upload([("a.jpg", bytes)], by: "maria")
            #expect(second.state == .published && second.id != first.id)
        }
    }

    @Test(arguments: ["", "nothing", "link maria=", "link ma/ria=reject", "=link"])
    func policiesThatCannotBeUnderstood(text: String) {
        let policies = DuplicatePolicies(parsing: text)
        #expect(text.isEmpty ? policies?.general == .link : policies == nil)
    }
}
