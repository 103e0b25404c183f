import Blobs
import Foundation
import TestSupport
import Testing

@Suite("Blobs are immutable files, there whole or not at all")
struct LocalBlobStoreTests {
    private func staged(_ text: String, in folder: Directory) throws -> StagedFile {
        let file = try StagedFile(in: folder, name: ".part")
        try Array(text.utf8).withUnsafeBytes { try file.write($0) }
        return file
    }

    @Test func aStagedFileIsHashedAndInvisibleUntilPublished() async throws {
        try await withScratch { scratch in
            let folder = try scratch.directory()
            let store = try LocalBlobStore(path: "\(scratch.path)/blobs", staging: try Directory(path: scratch.path))
            let name = try BlobName(userID: "maria", postID: "p1", fileName: "original.jpg")
            let file = try staged("abc", in: folder)
            let contents = try file.finish()
            #expect(contents.byteCount == 3)
            #expect(contents.head == Array("abc".utf8))
            // The one-block vector of FIPS 180-4's examples.
            #expect(contents.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
            #expect(throws: BlobError.self) { try store.open(name) }
            try store.publish(file, as: name)
            #expect(try store.open(name).readAll(maxBytes: 10) == Array("abc".utf8))
            #expect(try folder.names() == ["blobs"], "the temporary name is gone")
        }
    }

    @Test func anAbandonedStagedFileDeletesItself() async throws {
        try await withScratch { scratch in
            let folder = try scratch.directory()
            do { _ = try staged("half", in: folder) }
            #expect(try folder.names().isEmpty)
        }
    }

    @Test func aLeftoverOfACrashIsReplaced() async throws {
        try await withScratch { scratch in
            try scratch.write("stale", to: ".part")
            let contents = try staged("fresh", in: scratch.directory()).finish()
            #expect(contents.byteCount == 5)
        }
    }

    @Test func severalBlobsOfAPostAreWrittenListedAndRemoved() async throws {
        try await withScratch { scratch in
            let store = try LocalBlobStore(path: scratch.path, staging: try Directory(path: scratch.path))
            let names = try ["thumb.jpg", "full.jpg"].map { try BlobName(userID: "u", postID: "p", fileName: $0) }
            try store.write(names.map { ($0, Array($0.fileName.utf8)) })
            try store.write(names.map { ($0, Array($0.fileName.utf8)) })
            #expect(try store.fileNames(userID: "u", postID: "p") == ["full.jpg", "thumb.jpg"])
            #expect(try store.fileNames(userID: "u", postID: "other").isEmpty)
            try store.remove(names[0])
            try store.remove(names[0])
            #expect(try store.fileNames(userID: "u", postID: "p") == ["full.jpg"])
            try store.removeAll(userID: "u", postID: "p")
            try store.removeAll(userID: "u", postID: "p")
            #expect(try store.fileNames(userID: "u", postID: "p").isEmpty)
        }
    }

    @Test("A name never gets other bytes, and whoever writes it again is told how many it has")
    func namesKeepTheirBytes() async throws {
        try await withScratch { scratch in
            let store = try LocalBlobStore(path: scratch.path, staging: try Directory(path: scratch.path))
            let names = try ["a.jpg", "b.jpg"].map { try BlobName(userID: "u", postID: "p", fileName: $0) }
            #expect(try store.write([(names[0], [1, 2, 3])]) == [3])
            #expect(try store.write([(names[0], [9]), (names[1], [4, 5])]) == [3, 2])
            #expect(try store.open(names[0]).readAll(maxBytes: 10) == [1, 2, 3])
            #expect(try store.open(names[1]).readAll(maxBytes: 10) == [4, 5])
        }
    }

    @Test("A user's folder that is a link is not followed")
    func linksInsideTheStoreAreRefused() async throws {
        try await withScratch { scratch in
            try scratch.write("mine", to: "outside/file")
            let store = try LocalBlobStore(path: scratch.path + "/blobs", staging: try Directory(path: scratch.path))
            #expect(symlink("\(scratch.path)/outside", "\(scratch.path)/blobs/evil") == 0)
            let name = try BlobName(userID: "evil", postID: "p", fileName: "f")
            let error = #expect(throws: BlobError.self) { try store.write([(name, [1])]) }
            #expect(error?.code == .wrongKind)
            #expect(try scratch.directory().folder("outside").names() == ["file"])
        }
    }

    @Test("A second holder of Storage is refused, and told who has it")
    func lock() async throws {
        try await withScratch { scratch in
            let folder = try scratch.directory()
            var lock: StorageLock? = try StorageLock(in: folder)
            let error = #expect(throws: BlobError.self) { try StorageLock(in: folder) }
            #expect(error?.code == .locked)
            #expect(error?.message.contains("process \(getpid())") == true)
            _ = consume lock
            lock = nil
            _ = try StorageLock(in: folder)
        }
    }
}
