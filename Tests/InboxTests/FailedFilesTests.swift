import API
import Files
import Foundation
import TestSupport
import Testing

@testable import Inbox

@Suite("Failed files: what a text names, how much a folder holds, and under which name a photo returns")
struct FailedFilesTests {
    private func put(_ path: String, sentAs name: String, in scratch: Scratch) throws {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        try scratch.write("photo", to: "Storage/failed/\(path)")
        let reason =
            #"{"code":"corrupt","message":"m","hint":"h","failed_at":1,"user":"maria","file":"\#(file)","photos":["\#(name)"]}"#
        try scratch.write(reason, to: "Storage/failed/\(path).reason.json")
    }

    @Test("A sender's name counts only where it names one item, and no path is meant")
    func names() async throws {
        try await withScratch { scratch in
            try put("corrupt/maria/lake.png", sentAs: "other.png", in: scratch)
            try put("corrupt/maria/upload-1.png", sentAs: "lake.png", in: scratch)
            try put("corrupt/maria/upload-2.png", sentAs: "sea.png", in: scratch)
            try put("corrupt/maria/upload-3.png", sentAs: "twice.png", in: scratch)
            try put("corrupt/maria/upload-4.png", sentAs: "twice.png", in: scratch)
            try put("corrupt/maria/upload-5.png", sentAs: "a/b.png", in: scratch)
            let items = try FailedFiles(storage: "\(scratch.path)/Storage").items()
            #expect(try items.named("lake.png").map(\.path) == ["corrupt/maria/lake.png"])
            #expect(try items.named("sea.png").map(\.path) == ["corrupt/maria/upload-2.png"])
            #expect(try items.named("failed/corrupt/maria/upload-2.png").count == 1)
            for name in ["a/b.png", "none.png"] {
                let error = #expect(throws: Failure.self) { try items.named(name) }
                #expect(error?.code == .notFound, "\(name)")
            }
            let error = #expect(throws: Failure.self) { try items.named("twice.png") }
            let message = error?.message ?? ""
            #expect(
                error?.code == .badName && message.contains("upload-3.png, corrupt/maria/upload-4.png"), "\(message)")
        }
    }

    @Test("A folder counts the files in it, and no links")
    func contents() async throws {
        try await withScratch { scratch in
            try put("corrupt/maria/trip.post/a.png", sentAs: "a.png", in: scratch)
            try FileManager.default.removeItem(
                atPath: "\(scratch.path)/Storage/failed/corrupt/maria/trip.post/a.png.reason.json")
            try scratch.write("12345678", to: "Storage/failed/corrupt/maria/trip.post/deep/b.png")
            try FileManager.default.createSymbolicLink(
                atPath: "\(scratch.path)/Storage/failed/corrupt/maria/trip.post/link", withDestinationPath: "/")
            try scratch.write(
                #"{"code":"corrupt","message":"m","hint":"h","failed_at":1,"file":"trip.post"}"#,
                to: "Storage/failed/corrupt/maria/trip.post.reason.json")
            let item = try #require(try FailedFiles(storage: "\(scratch.path)/Storage").items().first)
            #expect(item.fileCount == 2 && item.byteCount == 13 && item.document.bytes == 13)
        }
    }

    @Test(
        "A photo returns under its sender's name, unless a file in the inbox would be taken for its text or its video",
        arguments: [
            (nil, true), ("IMG_8.png", true), ("IMG_8.mov", true), ("IMG_7.png", false), ("IMG_7.png.json", false),
            ("IMG_7.xmp", false), ("IMG_7.png.supplemental-metadata.json", false), ("IMG_7.mov", false),
            ("IMG_7.MP4", false),
        ] as [(String?, Bool)])
    func returned(other: String?, isSenders: Bool) async throws {
        try await withScratch { scratch in
            try put("corrupt/maria/upload-1.png", sentAs: "IMG_7.png", in: scratch)
            if let other { try scratch.write("another's", to: "Storage/inbox/maria/\(other)") }
            let files = try FailedFiles(storage: "\(scratch.path)/Storage")
            let item = try #require(try files.items().first)
            try files.retry(item)
            #expect(try scratch.read("Storage/inbox/maria/\(isSenders ? "IMG_7" : "upload-1").png") == "photo")
            if let other { #expect(try scratch.read("Storage/inbox/maria/\(other)") == "another's") }
            #expect(try files.items().isEmpty)
        }
    }
}
