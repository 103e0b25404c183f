import API
import Files
import Foundation
import Glibc
import Keeping
import Model
import Service
import Store
import TestSupport
import Testing
import Tree

@testable import Uploads

@Suite(
    "Vanished folders of Storage are created again where that is safe, else reported",
    .timeLimit(.minutes(20)))
struct VanishedFolderTests {
    private static let photo = "size-97x61.jpg"

    @Test(
        "A folder for work in progress is created again, and the next upload becomes a post",
        arguments: ["incoming", "inbox", "done", "failed"], [true, false])
    func madeAnew(name: String, isDeleted: Bool) async throws {
        try await withPipeline { running in
            let path = "\(running.storage.path)/\(name)"
            if isDeleted {
                try FileManager.default.removeItem(atPath: path)
            } else {
                try FileManager.default.moveItem(atPath: path, toPath: running.scratch.path + "/moved")
                try await eventually { running.scratch.exists("Storage/\(name)") }
            }
            let good = try await running.upload([(Self.photo, try Fixture.bytes(Self.photo))], by: "maria")
            #expect(good.state == .published)
            try await eventually { running.scratch.exists("Storage/\(name)") }
            let broken = (name: "a.jpg", bytes: try Fixture.bytes("truncated-baseline-420.jpg"))
            let bad = try await running.upload([broken], by: "maria")
            #expect(bad.state == .failed)
            try await eventually { running.scratch.exists("Storage/failed/truncated/maria") }
            #expect(running.pipeline.disk.gate.pause == nil)
        }
    }

    @Test("A folder that vanished while no watcher runs is created again by the code that needs it")
    func beforeTheWatch() async throws {
        try await withPipeline(runs: false) { running in
            try FileManager.default.removeItem(atPath: running.storage.path + "/incoming")
            let request = UploadRequest(owner: try #require(UserID("maria")), intake: .socket)
            let record = try await running.reserve(request)
            var session = running.pipeline.receiver.resume(record)
            try await session.receive(try Fixture.bytes(Self.photo), named: Self.photo)
            #expect(running.scratch.exists("Storage/incoming"))
        }
    }

    @Test(
        "Folders with permanent data are waited for: uploads pause, and no missing file counts as deleted",
        arguments: ["Storage/blobs", "Storage/tree.sqlite", "Storage"])
    func waitedFor(name: String) async throws {
        try await withPipeline { running in
            let (path, moved) = ("\(running.scratch.path)/\(name)", running.scratch.path + "/moved")
            try FileManager.default.moveItem(atPath: path, toPath: moved)
            try await eventually { running.pipeline.disk.gate.pause?.code == .storageMissing }
            let what = name == "Storage" ? "the Storage folder" : String(name.dropFirst("Storage/".count))
            #expect(running.pipeline.disk.gate.pause?.message.hasPrefix(what) == true)
            #expect(!FileManager.default.fileExists(atPath: path))
            try FileManager.default.moveItem(atPath: moved, toPath: path)
            try await eventually { running.pipeline.disk.gate.pause == nil }
            let second = try await running.upload([(Self.photo, try Fixture.bytes(Self.photo))], by: "maria")
            #expect(second.state == .published)
        }
    }

    @Test("A photo whose original vanished with all others does not fail for that")
    func deletedBlobs() async throws {
        try await withPipeline { running in
            let photo = (name: Self.photo, bytes: try Fixture.bytes(Self.photo))
            let id = try await running.upload([photo], by: "maria").id
            let record = try #require(try await running.pipeline.store.record(of: id))
            try FileManager.default.removeItem(atPath: running.storage.path + "/blobs")
            await #expect {
                _ = try await running.pipeline.renditions.render(record)
            } throws: { error in
                let fault = Failure(error)
                return fault.isTransient && fault.code.rawValue == "storage_missing"
            }
        }
    }

    @Test("Another folder in place of the blobs is not used as the blobs")
    func replaced() async throws {
        try await withPipeline { running in
            let path = running.storage.path + "/blobs"
            try FileManager.default.moveItem(atPath: path, toPath: running.scratch.path + "/moved")
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            try await eventually { running.pipeline.disk.gate.pause?.code == .storageMissing }
        }
    }

    @Test("Without its file the lock still holds, and the file is created again", arguments: [true, false])
    func lock(isReplaced: Bool) async throws {
        try await withPipeline { running in
            let path = running.storage.path + "/lock"
            if isReplaced {
                // Moved there at once: the service would create one in between.
                try running.scratch.write("1\n", to: "other")
                try #require(rename(running.scratch.path + "/other", path) == 0)
            } else {
                try FileManager.default.removeItem(atPath: path)
            }
            let error = await #expect(throws: FileError.self) {
                try await StorageFolder.open(path: running.storage.path)
            }
            #expect(error?.code == .locked)
            try await eventually { (try? running.scratch.read("Storage/lock")) == "\(getpid())\n" }
            #expect(running.pipeline.disk.gate.pause == nil)
        }
    }

    @Test("A process that has the lock on a new file excludes this one")
    func twoLocks() async throws {
        try await withPipeline { running in
            let path = running.storage.path + "/lock"
            var file: Int32 = -1
            repeat {
                close(file)  // Our service was faster, and has created it again.
                try FileManager.default.removeItem(atPath: path)
                // A service of an earlier version locks the file alone.
                file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            } while flock(file, LOCK_EX | LOCK_NB) != 0
            try await eventually { running.pipeline.disk.gate.pause?.code == .locked }
            close(file)
            try await eventually { running.pipeline.disk.gate.pause == nil }
        }
    }
}
