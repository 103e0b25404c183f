import API
import Access
import Files
import Foundation
import Keeping
import Model
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

@Suite("Processed files are deleted when their time is over, and never as the last copy", .timeLimit(.minutes(20)))
struct RetentionTests {
    private static let photo = "baseline-420.jpg"
    /// A retention that has always passed, whatever the clock does.
    private static let past = Duration.seconds(-1)

    @Test("done/: files that the post has are deleted, with text and receipt; files that differ or have no post stay")
    func done() async throws {
        try await withInbox(settings: { $0.retention = Retention(done: Self.past) }, intake: waitingForPhotos) {
            running in
            let names = ["gone.jpg", "deep/er/gone.jpg", "texts.jpg", "edited.jpg", "rotten.jpg", "lost.jpg"]
            var posts: [String: PostID] = [:]
            try running.scratch.write(#"{"text": "hello"}"#, to: "Storage/inbox/maria/texts.jpg.json")
            for name in names {
                try running.drop(Self.photo, as: "maria/\(name)")
                posts[name] = PostID(try await running.document("done/maria/\(name).receipt.json")["post"] ?? "")
            }
            for number in 0..<2 { try running.drop(Self.photo, as: "../packing/album.post/\(number).jpg") }
            try running.move("packing/album.post", to: "inbox/maria/album.post")
            _ = try await running.document("done/maria/album.post.receipt.json")
            try await eventually { try await running.storage.tree.get(UploadNodes.queued()) == nil }

            try running.scratch.write("mine", to: "Storage/done/maria/mine.txt")
            try running.scratch.write("edited", to: "Storage/done/maria/edited.jpg")
            try running.scratch.write("rotten", to: "Storage/\(try original(posts["rotten.jpg"]))")
            try FileManager.default.removeItem(
                atPath: "\(running.scratch.path)/Storage/\(try original(posts["lost.jpg"]))")
            try await running.pipeline.janitor.sweepArchives()
            #expect(
                try files(in: "done", of: running) == [
                    "maria/edited.jpg", "maria/edited.jpg.receipt.json", "maria/lost.jpg",
                    "maria/lost.jpg.receipt.json", "maria/mine.txt", "maria/rotten.jpg",
                    "maria/rotten.jpg.receipt.json",
                ])
            #expect(try await running.posts().count == names.count + 1)
        }
    }

    private func original(_ post: PostID?) throws -> String { "blobs/maria/\(try #require(post))/original.jpg" }

    @Test("done/: files stay until their time, or for ever without a time", arguments: [Duration.seconds(3600), nil])
    func early(lifetime: Duration?) async throws {
        try await withInbox(settings: { $0.retention = Retention(done: lifetime) }) { running in
            try running.drop(Self.photo, as: "maria/a.jpg")
            _ = try await running.document("done/maria/a.jpg.receipt.json")
            try await eventually { try await running.storage.tree.get(UploadNodes.queued()) == nil }
            try await running.pipeline.janitor.sweepArchives()
            #expect(try files(in: "done", of: running) == ["maria/a.jpg", "maria/a.jpg.receipt.json"])
        }
    }

    @Test("done/: the copy of a photo is deleted with its post, also its location; unless done/ is kept for ever")
    func deleted() async throws {
        for lifetime in [Duration.seconds(3600), nil] {
            try await withInbox(
                settings: { settings in
                    settings.gracePeriod = Self.past
                    settings.retention = Retention(done: lifetime)
                }
            ) { running in
                for (number, name) in ["a.jpg", "deep/b.jpg"].enumerated() {
                    try running.drop(Self.photo, as: "maria/\(name)")
                    let receipt = try await running.document("done/maria/\(name).receipt.json")
                    // A second photo of the name, which is stored under another.
                    try running.drop(Self.photo, as: "maria/\(name)")
                    try await eventually { try await running.posts().count == number + 2 }
                    try await eventually { try await running.storage.tree.get(UploadNodes.queued()) == nil }
                    let first = try #require(PostID(receipt["post"] ?? ""))
                    _ = try await running.pipeline.publisher.deletePost(first, by: .admin)
                }
                try await running.pipeline.janitor.sweep()
                let left = try files(in: "done", of: running).filter { !$0.contains(".receipt.json") }
                #expect(left.count == (lifetime == nil ? 4 : 2), "\(left)")
                for post in try await running.storage.tree.keys(of: PostNodes.post()) {
                    let last = try #require(PostID(post.description))
                    _ = try await running.pipeline.publisher.deletePost(last, by: .admin)
                }
                try await running.pipeline.janitor.sweep()
                #expect(try files(in: "done", of: running).isEmpty == (lifetime != nil))
            }
        }
    }

    @Test(
        "failed/: dropped files and refused files each have their own time",
        arguments: [
            (Retention(failed: nil, refused: nil), 2), (Retention(failed: nil, refused: .seconds(3600)), 2),
            (Retention(failed: nil, refused: past), 1), (Retention(failed: past, refused: nil), 1),
            (Retention(failed: past, refused: past), 0),
        ] as [(Retention, Int)])
    func failed(retention: Retention, left: Int) async throws {
        try await withInbox(settings: { $0.retention = retention }) { running in
            try running.scratch.write(#"{"text": "hello"}"#, to: "Storage/packing/maria/cut.jpg.json")
            try running.drop("truncated-baseline-420.jpg", as: "../packing/maria/cut.jpg")
            try running.move("packing/maria", to: "inbox/maria")
            _ = try await running.document("failed/truncated/maria/cut.jpg.reason.json")
            let bytes = try Fixture.bytes("truncated-baseline-420.jpg")
            let refused = try await running.upload([("cut.jpg", bytes)], by: "jan")
            #expect(refused.state == .failed)
            try await eventually { try await running.storage.tree.get(UploadNodes.queued()) == nil }
            try await running.pipeline.janitor.sweepArchives()
            let files = try files(in: "failed", of: running)
            #expect(files.filter { $0.hasSuffix(".reason.json") }.count == left, "\(files)")
            #expect(files.filter { $0.hasSuffix(".jpg") }.count == left, "\(files)")
        }
    }

    @Test("The same file, copied in again and again, leaves one copy in done/ and one receipt")
    func repeated() async throws {
        try await withInbox(settings: { $0.duplicates.general = .link }) { running in
            for round in 0..<3 {
                try running.drop(Self.photo, as: "maria/lake.jpg")
                try await eventually { try await running.pipeline.report.status().duplicates == round || round == 0 }
                _ = try await running.document("done/maria/lake.jpg.receipt.json")
                try await eventually { try await running.storage.tree.get(UploadNodes.queued()) == nil }
            }
            #expect(try files(in: "done", of: running) == ["maria/lake.jpg", "maria/lake.jpg.receipt.json"])
            let receipt = try await running.document("done/maria/lake.jpg.receipt.json")
            #expect(receipt["outcome"] == "published")
            #expect(try files(in: "incoming", of: running).isEmpty)
        }
    }

    /// A difference that makes a duplicate's copy worth keeping.
    enum Worth: String, CaseIterable, Sendable {
        case text, otherSidecar, rottenOriginal
    }

    @Test("A duplicate with more data than the post is kept", arguments: Worth.allCases)
    func worthKeeping(_ worth: Worth) async throws {
        try await withInbox(settings: { $0.duplicates.general = .link }, intake: waitingForPhotos) { running in
            try running.drop(Self.photo, as: "maria/first.jpg")
            let first = try await running.document("done/maria/first.jpg.receipt.json")
            switch worth {
            case .text: try running.scratch.write(#"{"text": "new"}"#, to: "Storage/inbox/maria/second.jpg.json")
            case .otherSidecar: try running.scratch.write(#"{"text": ""}"#, to: "Storage/inbox/maria/second.jpg.json")
            case .rottenOriginal:
                try running.scratch.write("rotten", to: "Storage/\(try original(first["post"].flatMap { PostID($0) }))")
            }
            try running.drop(Self.photo, as: "maria/second.jpg")
            let second = try await running.document("done/maria/second.jpg.receipt.json")
            #expect(second["outcome"] == "duplicate" && second["kept"] == nil)
            try await eventually { running.scratch.exists("Storage/done/maria/second.jpg") }
        }
    }

    /// Returns the files below a folder of Storage by their paths within it, in order.
    private func files(in folder: String, of running: RunningPipeline) throws -> [String] {
        let root = "\(running.scratch.path)/Storage/\(folder)"
        let all = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return all.filter { name in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(root)/\(name)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }
}
