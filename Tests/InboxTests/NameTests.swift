import Files
import Foundation
import Glibc
import Inbox
import Model
import Store
import TestSupport
import Testing
import Tree
import Uploads

@Suite("Folders below a user's, and names of every kind", .timeLimit(.minutes(20)))
struct NameTests {
    private static let photo = "baseline-420.jpg"

    @Test("Folders are walked wherever they came from: there before, created deep, moved in whole; done/ keeps them")
    func recursion() async throws {
        try await withScratch { scratch in
            let bytes = try Fixture.bytes(Self.photo)
            try scratch.write(bytes, to: "Storage/inbox/maria/before/deep/er/a.jpg")
            try await withInbox(in: scratch, intake: { $0.rescanInterval = .seconds(3600) }) { running in
                _ = try await running.document("done/maria/before/deep/er/a.jpg.receipt.json")
                try running.drop(bytes, as: "maria/made/one/b.jpg")
                _ = try await running.document("done/maria/made/one/b.jpg.receipt.json")
                try running.drop(bytes, as: "../packing/trip/day 1/c.jpg")
                try running.drop(bytes, as: "../packing/trip/day 2/d.post/1.jpg")
                try running.move("packing/trip", to: "inbox/maria/moved")
                _ = try await running.document("done/maria/moved/day 1/c.jpg.receipt.json")
                _ = try await running.document("done/maria/moved/day 2/d.post.receipt.json")
                try running.drop("text.jpg", as: "maria/made/one/e.jpg")
                let reason = try await running.document("failed/unsupported_format/maria/made/one/e.jpg.reason.json")
                #expect(reason["source"] == "made/one/e.jpg")
                #expect(try await running.posts().count == 4)
            }
        }
    }

    @Test("A folder that is too deep is put aside, whole; a file named like a folder in done/ causes no harm")
    func bounds() async throws {
        try await withInbox { running in
            let deep = (1...16).map { "\($0)" }.joined(separator: "/")
            try running.drop(Self.photo, as: "maria/\(deep)/fits.jpg")
            try running.drop(Self.photo, as: "maria/\(deep)/17/beyond.jpg")
            _ = try await running.document("done/maria/\(deep)/fits.jpg.receipt.json")
            _ = try await running.document("failed/too_deep/maria/\(deep)/17.reason.json")
            try await eventually { running.scratch.exists("Storage/failed/too_deep/maria/\(deep)/17/beyond.jpg") }
            try running.drop(Self.photo, as: "maria/album")
            _ = try await running.document("done/maria/album.receipt.json")
            try await eventually { running.scratch.exists("Storage/done/maria/album") }
            try running.drop(Self.photo, as: "maria/album/a.jpg")
            _ = try await running.document("done/maria/a.jpg.receipt.json")
        }
    }

    @Test(
        "A document belongs to its photo, also when the names of the two differ in their Unicode forms",
        arguments: [true, false])
    func unicodeForms(isPhotoDecomposed: Bool) async throws {
        try await withInbox(intake: waitingForPhotos) { running in
            let (decomposed, composed) = ("e\u{301}te\u{301}.jpg", "\u{E9}t\u{E9}.jpg")
            let (photo, document) = isPhotoDecomposed ? (decomposed, composed) : (composed, decomposed)
            try running.scratch.write(#"{"text": "Summer"}"#, to: "Storage/inbox/maria/\(document).json")
            try running.drop(Self.photo, as: "maria/\(photo)")
            let receipt = try await running.document("done/maria/\(photo).receipt.json")
            let post = try #require(receipt["post"].flatMap { PostID($0) })
            #expect(try await running.storage.tree.get(PostNodes.post(post) / "text") == "Summer")
            #expect(!running.scratch.exists("Storage/inbox/maria/\(document).json"))
        }
    }

    @Test("A name that is not UTF-8 is written as UTF-8, and its file claimed with its text; so inside a folder .post")
    func noText() async throws {
        try await withInbox(intake: waitingForPhotos) { running in
            let inbox = "\(running.scratch.path)/Storage/inbox"
            try running.drop(Self.photo, as: "maria/first.jpg")
            try running.scratch.write(#"{"text": "strange"}"#, to: "text")
            let name: [UInt8] = Array("caf".utf8) + [0xE9, 0xFF] + Array(".jpg".utf8)
            try rename("\(running.scratch.path)/text", to: Array("\(inbox)/maria/".utf8) + name + Array(".json".utf8))
            try running.scratch.write(Fixture.bytes(Self.photo), to: "photo")
            try rename("\(running.scratch.path)/photo", to: Array("\(inbox)/maria/".utf8) + name)
            let receipt = try await running.document("done/maria/caf%E9%FF.jpg.receipt.json")
            let id = try #require(receipt["post"].flatMap { PostID($0) })
            let text = try await running.storage.tree.get(PostNodes.post(id) / "text")
            #expect(text == "strange")

            try running.drop(Self.photo, as: "../packing/a.post/1.jpg")
            try running.drop(Self.photo, as: "../packing/a.post/2.jpg")
            let folder = "\(running.scratch.path)/Storage/packing/a.post"
            try rename("\(folder)/2.jpg", to: Array("\(folder)/".utf8) + name)
            try running.move("packing/a.post", to: "inbox/maria/a.post")
            try await eventually { running.scratch.exists("Storage/done/maria/a.post/caf%E9%FF.jpg") }
            let posts = try await running.posts()
            #expect(posts.contains { PostPhotos.read($0)?.count == 2 })
        }
    }

    @Test(
        "Odd names are accepted like others",
        arguments: [
            "-rf.jpg", "a b.jpg", "new\nline.jpg", "\u{1B}[31m.jpg", "%2e%2e.jpg", "CON", "dot.", "space ",
            "e\u{301}.jpg",
            "\u{E9}.jpg", "\u{202E}gpj.jpg", "*?<>|\\:.jpg",
        ])
    func odd(name: String) async throws {
        try await withInbox { running in
            try running.drop(Self.photo, as: "maria/\(name)")
            let receipt = try await running.document("done/maria/\(name).receipt.json")
            #expect(receipt["file"] == name)
            try await eventually { running.scratch.exists("Storage/done/maria/\(name)") }
        }
    }

    @Test("Two names of 255 bytes that differ at the end have a document each, and so does a failure of such a name")
    func longNames() async throws {
        try await withInbox { running in
            let stem = String(repeating: "x", count: 254)
            for ending in ["1", "2"] { try running.drop(Self.photo, as: "maria/\(stem)\(ending)") }
            try running.drop("text.jpg", as: "maria/\(stem)3")
            try await eventually {
                let names = (try? running.storage.done.folder("maria").names()) ?? []
                return names.count { $0.hasSuffix(".receipt.json") } == 2 && names.count == 4
            }
            try await eventually {
                let names = try? running.storage.failed.folder("unsupported_format").folder("maria").names()
                return names?.count == 2 && names?.contains { $0.hasSuffix(".reason.json") } == true
            }
        }
    }

    @Test(
        "Files with several links are put aside, alone and inside a folder .post, and their other links are untouched")
    func hardLinks() async throws {
        try await withInbox { running in
            let inbox = "\(running.scratch.path)/Storage/inbox/maria"
            try running.drop(Self.photo, as: "maria/.keep")
            try running.scratch.write(Fixture.bytes(Self.photo), to: "mine.jpg")
            #expect(link("\(running.scratch.path)/mine.jpg", "\(inbox)/linked.jpg") == 0)
            let reason = try await running.document("failed/hard_linked/maria/linked.jpg.reason.json")
            #expect(reason["message"]?.contains("2 names") == true)
            try running.drop(Self.photo, as: "../packing/a.post/1.jpg")
            #expect(
                link("\(running.scratch.path)/mine.jpg", "\(running.scratch.path)/Storage/packing/a.post/2.jpg") == 0)
            try running.move("packing/a.post", to: "inbox/maria/a.post")
            _ = try await running.document("failed/hard_linked/maria/a.post.reason.json")
            #expect(running.scratch.exists("mine.jpg"))
            #expect(try await running.posts().isEmpty)
        }
    }

    @Test("A folder .post with a pipe or a folder in it is put aside without opening the pipe")
    func strangePosts() async throws {
        try await withInbox { running in
            try running.drop(Self.photo, as: "../packing/a.post/1.jpg")
            #expect(mkfifo("\(running.scratch.path)/Storage/packing/a.post/2.jpg", 0o600) == 0)
            try running.drop(Self.photo, as: "../packing/b.post/inner/1.jpg")
            for name in ["a.post", "b.post"] {
                try running.move("packing/\(name)", to: "inbox/maria/\(name)")
                let reason = try await running.document("failed/wrong_kind/maria/\(name).reason.json")
                #expect(reason["code"] == "wrong_kind")
            }
        }
    }

    private func rename(_ path: String, to newPath: [UInt8]) throws {
        let result = (newPath.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { Glibc.rename(path, $0) }
        }
        #expect(result == 0)
    }
}
