import API
import Files
import Foundation
import Model
import Store
import TestSupport
import Testing
import Tree
import Uploads

@Suite("The inbox: a dropped photo becomes a published post", .timeLimit(.minutes(20)))
struct InboxWatcherTests {
    @Test func aPhotoBecomesAPostAndEndsInDoneWithAReceipt() async throws {
        try await withInbox { running in
            try running.drop("orientation-6-ii.jpg", as: "maria/IMG 1.jpg")
            try await eventually { running.scratch.exists("Storage/done/maria/IMG 1.jpg.receipt.json") }
            try await eventually { running.scratch.exists("Storage/done/maria/IMG 1.jpg") }
            let post = try #require(try await running.posts().first)
            #expect(post["author"]?["uid"]?.stringValue == "maria")
            #expect(post["photos"]?["0"]?["width"]?.integerValue == 96, "upright")
            let receipt = try running.scratch.read("Storage/done/maria/IMG 1.jpg.receipt.json")
            let id = try #require(try await running.storage.tree.keys(of: PostNodes.post()).first)
            #expect(receipt.contains(id.description))
            try await eventually { try running.storage.incoming.names().isEmpty }
            #expect(!running.scratch.exists("Storage/inbox/maria/IMG 1.jpg"))
        }
    }

    @Test("A text beside the photo, and a folder of photos with a text, become one post each")
    func sidecars() async throws {
        try await withInbox(intake: waitingForPhotos) { running in
            try running.scratch.write(#"{"text": "Beside #it", "mood": 3}"#, to: "Storage/inbox/maria/a.jpg.json")
            try running.drop("baseline-420.jpg", as: "maria/a.jpg")
            // From here on the folder is watched: the kernel reports files that are moved in.
            _ = try await running.document("done/maria/a.jpg.receipt.json")
            try running.scratch.write(#"{"text": "Inside"}"#, to: "tmp.post/post.json")
            try running.scratch.write(Fixture.bytes("rgb-8.png"), to: "tmp.post/2.png")
            try running.scratch.write(Fixture.bytes("baseline-420.jpg"), to: "tmp.post/1.jpg")
            try FileManager.default.moveItem(
                atPath: "\(running.scratch.path)/tmp.post",
                toPath: "\(running.scratch.path)/Storage/inbox/maria/trip.post")
            try await eventually { try await running.posts().count == 2 }
            let posts = try await running.posts()
            let beside = try #require(posts.first { $0["text"]?.stringValue == "Beside #it" })
            let inside = try #require(posts.first { $0["text"]?.stringValue == "Inside" })
            #expect(PostPhotos.read(beside)?.count == 1)
            #expect(PostPhotos.read(inside)?.count == 2)
            try await eventually { running.scratch.exists("Storage/done/maria/trip.post/1.jpg") }
            try await eventually { running.scratch.exists("Storage/done/maria/a.jpg.json") }
        }
    }

    @Test(
        "Each kind of bad input ends in failed/ with a reason that names it and contains a remedy",
        arguments: [
            ("text.jpg", "unsupported_format"), ("empty.jpg", "empty"), ("truncated-baseline-420.jpg", "truncated"),
            ("bomb-65500x65500.png", "too_many_pixels"),
        ])
    func badPhotos(file: String, code: String) async throws {
        try await withInbox { running in
            try running.drop(file, as: "maria/\(file)")
            try await eventually { running.scratch.exists("Storage/failed/\(code)/maria/\(file)") }
            let reason = try running.scratch.read("Storage/failed/\(code)/maria/\(file).reason.json")
            #expect(reason.contains("\"\(code)\"") && reason.contains(file))
            #expect(reason.contains("hint"))
            #expect(try await running.posts().isEmpty)
        }
    }

    @Test("Links, pipes, lost files and strange names are put aside, and harm no other file")
    func strangeThings() async throws {
        try await withInbox { running in
            let inbox = "\(running.scratch.path)/Storage/inbox"
            try running.scratch.write("secret", to: "secret.jpg")
            try FileManager.default.createDirectory(atPath: "\(inbox)/maria", withIntermediateDirectories: true)
            #expect(symlink("\(running.scratch.path)/secret.jpg", "\(inbox)/maria/link.jpg") == 0)
            #expect(mkfifo("\(inbox)/maria/pipe.jpg", 0o600) == 0)
            try running.drop("baseline-420.jpg", as: "outside.jpg")
            try running.drop("baseline-420.jpg", as: "späth/a.jpg")
            try running.scratch.write("{}", to: "Storage/inbox/maria/lonely.jpg.json")
            try running.scratch.write("not JSON", to: "Storage/inbox/maria/b.jpg.json")
            try running.drop("baseline-420.jpg", as: "maria/b.jpg")
            let name = String(repeating: "n", count: 240) + "\n.jpg"
            try running.drop("baseline-420.jpg", as: "maria/\(name)")
            for (file, code) in [
                ("maria/link.jpg", "wrong_kind"), ("maria/pipe.jpg", "wrong_kind"),
                ("no_user/outside.jpg", "bad_user"), ("no_user/späth", "bad_user"),
                ("maria/lonely.jpg.json", "bad_sidecar"),
                ("maria/b.jpg", "bad_sidecar"),
            ] {
                try await eventually { running.scratch.exists("Storage/failed/\(code)/\(file).reason.json") }
                let reason = try running.scratch.read("Storage/failed/\(code)/\(file).reason.json")
                #expect(reason.contains("\"\(code)\""), "\(file): \(reason)")
            }
            try await eventually { try await running.posts().count == 1 }
            #expect(try running.scratch.read("secret.jpg") == "secret")
            try await eventually { running.scratch.exists("Storage/done/maria/\(name)") }
        }
    }

    @Test("A folder with more photos than a post may have ends in failed/, whole, with the limit")
    func tooManyPhotos() async throws {
        try await withInbox(settings: { $0.maxPhotos = 3 }) { running in
            for number in 0..<4 {
                try running.scratch.write(Fixture.bytes("baseline-420.jpg"), to: "tmp.post/\(number).jpg")
            }
            try FileManager.default.createDirectory(
                atPath: "\(running.scratch.path)/Storage/inbox/maria", withIntermediateDirectories: true)
            try FileManager.default.moveItem(
                atPath: "\(running.scratch.path)/tmp.post",
                toPath: "\(running.scratch.path)/Storage/inbox/maria/trip.post")
            try await eventually { running.scratch.exists("Storage/failed/too_many_photos/maria/trip.post/3.jpg") }
            let reason = try running.scratch.read("Storage/failed/too_many_photos/maria/trip.post.reason.json")
            #expect(reason.contains("too_many_photos") && reason.contains("more than the 3 photos"))
        }
    }

    @Test("A file is not claimed while it is being written, however long that takes; .part files never are")
    func slowWriter() async throws {
        try await withInbox { running in
            let bytes = try Fixture.bytes("baseline-420.jpg")
            try running.scratch.write(bytes, to: "Storage/inbox/maria/never.jpg.part")
            let path = "\(running.scratch.path)/Storage/inbox/maria/slow.jpg"
            let descriptor = open(path, O_WRONLY | O_CREAT, 0o644)
            try #require(descriptor >= 0)
            let writer = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            for start in stride(from: 0, to: bytes.count, by: bytes.count / 4) {
                try writer.write(contentsOf: bytes[start..<min(start + bytes.count / 4, bytes.count)])
                // Longer than the quiet time: the open file protects it.
                running.clock.advance(by: 500)
                try running.drop("baseline-420.jpg", as: "maria/\(start).jpg")
                _ = try await running.document("done/maria/\(start).jpg.receipt.json")
                #expect(FileManager.default.fileExists(atPath: path))
            }
            let others = try await running.posts().count
            try writer.close()
            try await eventually { try await running.posts().count == others + 1 }
            #expect(running.scratch.exists("Storage/inbox/maria/never.jpg.part"))
        }
    }

    @Test("Two files of one name, one after the other, are two posts and keep both files")
    func sameNameTwice() async throws {
        try await withInbox { running in
            for count in 1...2 {
                try running.drop("baseline-420.jpg", as: "maria/photo.jpg")
                try await eventually { try await running.posts().count == count }
                try await eventually { try running.storage.incoming.names().isEmpty }
            }
            let names = try running.storage.done.folder("maria").names()
            #expect(names.filter { $0.hasSuffix(".receipt.json") }.count == 2)
            #expect(names.filter { $0.hasSuffix(".jpg") }.count == 2)
        }
    }

    @Test("Files from before the start, and files that were claimed when the last run was cut off, are ingested")
    func start() async throws {
        try await withScratch { scratch in
            for number in 0..<20 {
                try scratch.write(Fixture.bytes("baseline-420.jpg"), to: "Storage/inbox/u\(number % 3)/\(number).jpg")
            }
            // Cut off after the claim: the reservation exists, and the file is in the folder of its id.
            let claimed = Shared("")
            try await withPipeline(in: scratch, runs: false) { running in
                var request = UploadRequest(owner: try #require(UserID("u0")), intake: .inbox)
                request.source = "claimed.jpg"
                let record = try await running.reserve(request)
                try scratch.write(Fixture.bytes("baseline-420.jpg"), to: "Storage/incoming/\(record.id)/claimed.jpg")
                claimed.change { $0 = record.id.description }
            }
            try await withInbox(in: scratch) { running in
                try await eventually { try await running.posts().count == 21 }
                try await eventually { scratch.exists("Storage/done/u0/claimed.jpg") }
                let ids = try await running.storage.tree.keys(of: PostNodes.post()).map(\.description)
                #expect(ids.contains(claimed.value))
                try await eventually { try await running.storage.tree.get(UploadNodes.queued()) == nil }
            }
        }
    }

    @Test("P2: an unknown user's file waits in failed/ where people are not created by posting")
    func unknownUser() async throws {
        try await withInbox(settings: { $0.createsPeople = false }) { running in
            try running.drop("baseline-420.jpg", as: "stranger/a.jpg")
            let reason = try await running.document("failed/unknown_user/stranger/a.jpg.reason.json")
            #expect(reason["code"] == "unknown_user")
        }
    }
}
