import API
import Files
import Foundation
import Glibc
import Model
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

@testable import Inbox

@Suite("Files that cannot be processed do not stop other users' files", .timeLimit(.minutes(20)))
struct StubbornTests {
    private static let photo = "baseline-420.jpg"

    @Test(
        "More claims than there are slots, none of which can be put aside, delay no other user",
        .enabled(if: Obstacle.isPossible))
    func stuckClaims() async throws {
        try await withScratch { scratch in
            try scratch.write("x", to: "Storage/done/maria/here")
            let done = "\(scratch.path)/Storage/done/maria"
            #expect(Obstacle.close(done))
            defer { Obstacle.open(done) }
            try await withInbox(in: scratch) { running in
                for number in 1...20 { try running.drop(Self.photo, as: "maria/\(number).jpg") }
                try await eventually { try running.storage.incoming.entries().count { $0.kind == .folder } >= 16 }
                try running.drop(Self.photo, as: "kim/a.jpg")
                _ = try await running.document("done/kim/a.jpg.receipt.json")
                #expect(Obstacle.open(done))
                try await eventually { try running.storage.incoming.names().isEmpty }
                #expect(try await running.posts().count == 21)
            }
        }
    }

    @Test(
        "A file that the service may not read stays in place, and its neighbours are claimed",
        .enabled(if: geteuid() != 0))
    func unreadable() async throws {
        // No walk helps: the kernel reports that it may be read.
        try await withInbox(intake: { $0.rescanInterval = .seconds(3600) }) { running in
            for number in 1...20 {
                try running.drop(Self.photo, as: "../packing/\(number).jpg")
                #expect(chmod("\(running.scratch.path)/Storage/packing/\(number).jpg", 0) == 0)
                try running.move("packing/\(number).jpg", to: "inbox/maria/\(number).jpg")
            }
            for name in ["maria/x.jpg", "kim/a.jpg"] {
                try running.drop(Self.photo, as: name)
                _ = try await running.document("done/\(name).receipt.json")
            }
            #expect(running.scratch.exists("Storage/inbox/maria/7.jpg"))
            #expect(chmod("\(running.scratch.path)/Storage/inbox/maria/7.jpg", 0o600) == 0)
            _ = try await running.document("done/maria/7.jpg.receipt.json")
        }
    }

    @Test("The path of a text is occupied by another photo's text: both are kept, and the photo has its document")
    func textInTheWay() async throws {
        try await withInbox { running in
            try running.drop(Array("no JSON".utf8), as: "maria/trip/a.jpg.json")
            _ = try await running.document("failed/bad_sidecar/maria/trip/a.jpg.json.reason.json")
            // A reason is written before its file is moved.
            try await eventually { running.scratch.exists("Storage/failed/bad_sidecar/maria/trip/a.jpg.json") }
            try running.drop(Array("none either".utf8), as: "../packing/trip/a.jpg.json")
            try running.drop(Self.photo, as: "../packing/trip/a.jpg")
            // Both at once, or the text could be mistaken for one without a photo.
            try FileManager.default.removeItem(atPath: "\(running.scratch.path)/Storage/inbox/maria/trip")
            try running.move("packing/trip", to: "inbox/maria/trip")
            let files = try FailedFiles(storage: "\(running.scratch.path)/Storage")
            try await eventually { try files.items().contains { $0.byteCount ?? 0 > 100 } }
            let items = try files.items()
            #expect(items.count == 2)
            #expect(try running.scratch.read("Storage/failed/bad_sidecar/maria/trip/a.jpg.json") == "no JSON")
            let photo = try #require(items.first { $0.byteCount ?? 0 > 100 })
            #expect(try running.scratch.read("Storage/failed/\(photo.path).json") == "none either")
        }
    }

    @Test("A returned file still has its text beside it, also when its name is in use by now")
    func givenBack() async throws {
        try await withPipeline(runs: false) { running in
            let (pipeline, scratch) = (running.pipeline, running.scratch)
            var request = UploadRequest(owner: try #require(UserID("maria")), intake: .inbox)
            request.source = "a.jpg"
            let record = try await running.reserve(request)
            let claimed = "Storage/incoming/\(record.id)"
            try scratch.write("old", to: "\(claimed)/a.jpg")
            try scratch.write(#"{"text": "old"}"#, to: "\(claimed)/a.jpg.json")
            try scratch.write("new", to: "Storage/inbox/maria/a.jpg")
            let writer = try #require(FileHandle(forWritingAtPath: "\(scratch.path)/\(claimed)/a.jpg"))
            #expect(try await !InboxImporter(pipeline.intake).ingest(record.id))
            try writer.close()
            #expect(try await pipeline.store.record(of: record.id) == nil, "no record of the attempt is left")
            let inbox = "Storage/inbox/maria"
            #expect(try scratch.read("\(inbox)/a.jpg") == "new" && !scratch.exists("\(inbox)/a.jpg.json"))
            #expect(try scratch.read("\(inbox)/a.\(record.id).jpg") == "old")
            #expect(try scratch.read("\(inbox)/a.\(record.id).jpg.json") == #"{"text": "old"}"#)
        }
    }

    @Test("A name that is one character of 255 bytes has a document with a shortened name")
    func longCharacter() async throws {
        try await withInbox { running in
            let name = "b" + String(repeating: "\u{301}", count: 127)
            try running.drop("text.jpg", as: "maria/\(name)")
            try await eventually {
                try FailedFiles(storage: "\(running.scratch.path)/Storage").items().first?.byteCount != nil
            }
        }
        for (name, short) in [("abc", "ab"), ("a\u{301}\u{301}", "a"), ("\u{1F600}", "\u{1F600}")] {
            #expect(FileName.shortened(name, to: 2) == short)
        }
    }

    @Test("A text waits with its photo, both under a name that is not UTF-8: they are claimed together")
    func strangeNameWithText() async throws {
        try await withScratch { scratch in
            let user = "\(scratch.path)/Storage/inbox/maria"
            for (ending, bytes) in [
                (".jpg", try Fixture.bytes(Self.photo)), (".jpg.json", Array(#"{"text": "x"}"#.utf8)),
            ] {
                try scratch.write(bytes, to: "Storage/inbox/maria/plain\(ending)")
                let name = Array("\(user)/caf".utf8) + [0xE9] + Array(ending.utf8) + [0]
                let result = name.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer {
                    $0.baseAddress.map { rename("\(user)/plain\(ending)", $0) }
                }
                #expect(result == 0)
            }
            // They are unchanged for long enough when the first walk begins.
            try await withInbox(in: scratch, intake: { $0.quietTime = .zero }) { running in
                _ = try await running.document("done/maria/caf%E9.jpg.receipt.json")
                #expect(try await running.posts().first?["text"] == "x")
            }
        }
    }
}
