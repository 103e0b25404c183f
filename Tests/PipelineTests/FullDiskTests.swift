import API
import Access
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

@testable import Keeping

@Suite("Space can be freed on a full disk", .timeLimit(.minutes(20)))
struct FullDiskTests {
    /// Twice the space that the reserve needs, in MiB.
    private static let megabytes = 128

    /// Runs a body with a folder whose store has its own file system.
    private func withDisk(_ body: (Scratch) async throws -> Void) async throws {
        try await withScratch { scratch in
            let disk = "\(scratch.path)/Storage"
            try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
            guard mount("tmpfs", disk, "tmpfs", 0, "size=\(Self.megabytes)m") == 0 else {
                print("skipped: mounting is not allowed here (\(String(cString: strerror(errno))))")
                return
            }
            defer { umount2(disk, Int32(MNT_DETACH)) }
            try await body(scratch)
        }
    }

    /// Runs a pipeline without a reserve for uploads.
    private func run(
        in scratch: Scratch, _ body: @Sendable (RunningPipeline) async throws -> Void
    ) async throws {
        try await withPipeline(
            in: scratch,
            settings: {
                $0.freeSpaceReserve = FreeSpaceReserve(bytes: 0)
                $0.gracePeriod = .zero
            }, body)
    }

    @Test("A start on a disk without a free byte uses space of the reserve: then posts can be deleted")
    func start() async throws {
        try await withDisk { scratch in
            let post = Shared<PostID?>(nil)
            try await run(in: scratch) { running in
                let id = try await running.upload([("a.jpg", try Fixture.bytes("size-640x480.jpg"))], by: "u").id
                post.change { $0 = id }
                try await eventually {
                    try running.storage.root.entry("tree.reserve")?.byteCount == RoomReserve.byteCount
                }
            }
            let id = try #require(post.value)
            try fill(scratch)
            try await run(in: scratch) { running in
                #expect(running.storage.tree.reserve?.isGivenUp == true)
                _ = try await running.pipeline.publisher.deletePost(id, by: .admin)
                #expect(try await running.storage.tree.get(PostNodes.post(id)) == nil)
            }
        }
    }

    @Test("On a full disk, a post can be deleted with its files; other writes wait until there is space again")
    func deletion() async throws {
        try await withDisk { scratch in try await run(in: scratch, deletePost) }
    }

    @Sendable private func deletePost(_ running: RunningPipeline) async throws {
        let (tree, scratch) = (running.storage.tree, running.scratch)
        let reserve = try #require(tree.reserve)
        let id = try await running.upload([("a.jpg", try Fixture.bytes("size-640x480.jpg"))], by: "u").id
        func size(_ name: String) throws -> Int? {
            try running.storage.root.entry(name)?.byteCount
        }
        try await eventually { try size("tree.reserve") == RoomReserve.byteCount }
        let original = "Storage/blobs/u/\(id)/original.jpg"
        #expect(scratch.exists(original))
        let long = TreeValue.string(String(repeating: "x", count: 1 << 20))
        try fill(scratch)
        await #expect(throws: TreeError.self) { try await tree.set("notes", to: long) }
        #expect(try size("tree.reserve") == RoomReserve.byteCount && !reserve.isGivenUp)

        // A deletion may find space within the existing files: then it needs none of the reserve.
        for number in 0..<3 {
            let path: TreePath = "deleted-notes" / (try TreeKey(String(number)))
            var update = MultiPathUpdate()
            (update[path], update.makesRoom) = (long, true)
            try await tree.update(update)
        }
        #expect(reserve.isGivenUp)
        _ = try await running.pipeline.publisher.deletePost(id, by: .admin)
        #expect(try await tree.get(PostNodes.post(id)) == nil)
        let error = await #expect(throws: TreeError.self) { try await tree.set("notes", to: 1) }
        #expect(error?.code == .diskFull, "released space is reserved for deletions")
        try await eventually { running.pipeline.disk.gate.pause?.code == .diskFull }

        try? await running.pipeline.janitor.sweep()
        try await eventually { !scratch.exists(original) }
        try await eventually { try await tree.get(FileNodes.deleted(id)) == nil }

        try FileManager.default.removeItem(atPath: "\(scratch.path)/Storage/filler")
        try await eventually { running.pipeline.disk.gate.pause == nil && !reserve.isGivenUp }
        #expect(try size("tree.reserve") == RoomReserve.byteCount)
        try await tree.set("notes", to: 1)
    }

    @Test("An audit that the disk cannot store is available all the same, and reports that it is not stored")
    func audit() async throws {
        try await withPipeline(runs: false) { running in
            let reserve = try #require(running.storage.tree.reserve)
            // Simulates an earlier process that had to release a part.
            try running.scratch.write("some", to: "Storage/tree.reserve")
            #expect(!reserve.refill(free: 0) && reserve.isGivenUp)
            let pipeline = running.pipeline
            let last = try await StoreCheck(pipeline.storeCheckTools, StoreCheckOrder(.check)).run { _ in }
            #expect(last.finished && last.unkept == "the disk is full" && pipeline.audits[.check] != nil)
            #expect(reserve.refill(free: reserve.requiredBytes))
            #expect(try await StoreCheck(pipeline.storeCheckTools, StoreCheckOrder(.check)).run { _ in }.unkept == nil)
        }
    }

    /// Fills the disk.
    private func fill(_ scratch: Scratch) throws {
        let file = open("\(scratch.path)/Storage/filler", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        for count in [1 << 20, 4096] {
            let bytes = [UInt8](repeating: 1, count: count)
            while write(file, bytes, count) > 0 {}
        }
    }
}
