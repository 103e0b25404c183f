import API
import Files
import Foundation
import Keeping
import Model
import NIOCore
import Service
import Social
import Store
import TestSupport
import Testing
import Tree

@testable import Uploads

@Suite("The objects of the bucket, and their bytes", .timeLimit(.minutes(20)))
struct ObjectTests {
    private static let day: Int64 = 24 * 3600 * 1000

    private func put(_ text: String, as name: String, in running: RunningPipeline) async throws -> StoredObject {
        let upload = try await running.pipeline.objects.beginUpload()
        try await upload.write(ByteBuffer(string: text))
        let name = try #require(ObjectName(name))
        return try await running.pipeline.objects.put(try await upload.finish(), as: name, ObjectMetadata()) { _ in }
    }

    private func read(_ blob: BlobName, in running: RunningPipeline) async throws -> String? {
        guard try await running.storage.blobs.fileNames(userID: blob.userID, postID: blob.postID) != [] else {
            return nil
        }
        return String(decoding: try await running.storage.blobs.open(blob).readAll(maxBytes: 100), as: UTF8.self)
    }

    @Test("Replaced or deleted bytes are deleted with all their records when the grace period ends")
    func sweeping() async throws {
        try await withPipeline(runs: false) { running in
            let (pipeline, tree) = (running.pipeline, running.storage.tree)
            let first = try await put("one", as: "maria/a", in: running)
            let second = try await put("two", as: "maria/a", in: running)
            let common = try await put("three", as: "b", in: running)
            #expect(common.blob.userID == "bucket.objects" && second.blob.userID == "maria")
            try await pipeline.objects.delete(common.name) { _ in }

            try await pipeline.janitor.sweep()
            #expect(try await read(first.blob, in: running) == "one", "a reader in the middle continues")
            #expect(try await pipeline.unclaimed.list().isEmpty)

            running.clock.advance(by: 3 * Self.day)
            try await pipeline.janitor.sweep()
            #expect(try await read(first.blob, in: running) == nil)
            #expect(try await read(common.blob, in: running) == nil)
            #expect(try await read(second.blob, in: running) == "two")
            #expect(try await tree.keys(of: ObjectNodes.file()).map(\.string) == [second.blob.postID])
            #expect(try await tree.keys(of: FileNodes.deleted()).isEmpty)
            #expect(try await pipeline.unclaimed.list().isEmpty)
        }
    }

    @Test("A client that writes a post with an object's id, and deletes it, deletes no bytes")
    func foreignPost() async throws {
        try await withPipeline(runs: false) { running in
            let object = try await put("mine", as: "maria/a", in: running)
            let id = try #require(PostID(object.blob.postID))
            try await running.storage.tree.set(PostNodes.post(id), to: ["author": ["uid": "eve"], "timestamp": 1])
            try await running.storage.tree.set(PostNodes.post(id), to: nil)
            #expect(try await running.storage.tree.get(FileNodes.deleted(id)) != nil)
            running.clock.advance(by: 3 * Self.day)
            try await running.pipeline.janitor.sweep()
            #expect(try await read(object.blob, in: running) == "mine")
            #expect(try await running.storage.tree.get(FileNodes.deleted(id)) == nil)
        }
    }

    @Test("A crash between the bytes and the record leaves bytes for the sweep, and never an object without bytes")
    func crash() async throws {
        try await withPipeline(runs: false) { running in
            struct Crash: Error {}
            let (pipeline, storage) = (running.pipeline, running.storage)
            let upload = try await pipeline.objects.beginUpload()
            try await upload.write(ByteBuffer(string: "lost"))
            let name = try #require(ObjectName("maria/a"))
            await #expect(throws: Crash.self) {
                // The bytes have their name in the store when the write is refused.
                _ = try await pipeline.objects.put(try await upload.finish(), as: name, ObjectMetadata()) { _ in
                    throw Crash()
                }
            }
            #expect(try await pipeline.objects.object(name) == nil)
            #expect(try await storage.blobs.postIDs(userID: "maria").count == 1)
            try await pipeline.janitor.sweep()
            #expect(try await storage.blobs.postIDs(userID: "maria").count == 1, "a record may be about to name it")
            #expect(try await pipeline.unclaimed.list().isEmpty)
            running.clock.advance(by: 3 * Self.day)
            try await pipeline.janitor.sweep()
            #expect(try await storage.blobs.postIDs(userID: "maria").isEmpty)
            #expect(try await storage.tree.keys(of: ObjectNodes.file()).isEmpty)
        }
    }

    @Test("S10: A crash between the bytes and the record loses nothing of an upload in several requests")
    func resumed() async throws {
        try await withPipeline(runs: false) { running in
            let objects = running.pipeline.objects
            let name = try #require(ObjectName("maria/a"))
            let object = ResumableObject(name, ObjectMetadata(), identity: .null, secret: "s")
            let file = try await objects.begin(object, of: "maria", length: nil)
            #expect(try await objects.files.record(of: file.id).flatMap { ResumableObject($0) }?.name == name)
            let texts: [ByteBuffer?] = [ByteBuffer(string: "found")]
            struct Crash: Error {}
            await #expect(throws: Crash.self) {
                try await objects.files.withFile(file.id) { session in
                    var rest = texts
                    try await session.receive(isLast: true) { rest.popLast() ?? nil }
                    // The bytes are in the blob store, and no record names them.
                    _ = try await objects.put(session, as: object) { _ in throw Crash() }
                }
            }
            #expect(try await objects.result(of: file.id) == nil)
            // The sender may also return later, while the upload has not expired.
            running.clock.advance(by: 3 * Self.day)
            try await running.pipeline.janitor.deletedPosts.sweep()
            let stored = try await objects.files.withFile(file.id) { try await objects.put($0, as: object) { _ in } }
            #expect(try await read(stored.blob, in: running) == "found")
            #expect(try await objects.result(of: file.id) == stored)
            #expect(try await objects.files.record(of: file.id) == nil)
            let whole = try await put("found", as: "b", in: running)
            #expect(whole.md5 == stored.md5 && whole.crc32c == stored.crc32c && whole.byteCount == stored.byteCount)
            running.clock.advance(by: 3 * Self.day)
            try await running.pipeline.janitor.sweep()
            #expect(try await read(stored.blob, in: running) == "found")
        }
    }

    @Test("Bytes in the store whose upload expires before they have a name are deleted, too")
    func expired() async throws {
        try await withPipeline(runs: false) { running in
            let objects = running.pipeline.objects
            let name = try #require(ObjectName("maria/a"))
            let object = ResumableObject(name, ObjectMetadata(), identity: .null, secret: "s")
            let file = try await objects.begin(object, of: "maria", length: nil)
            struct Crash: Error {}
            await #expect(throws: Crash.self) {
                try await objects.files.withFile(file.id) { session in
                    try await session.receive(isLast: true) { nil }
                    _ = try await objects.put(session, as: object) { _ in throw Crash() }
                }
            }
            running.clock.advance(by: 3 * Self.day)
            try await running.pipeline.janitor.sweep()
            #expect(try await running.storage.blobs.postIDs(userID: "maria").isEmpty)
            #expect(try await running.storage.tree.keys(of: ObjectNodes.file()).isEmpty)
        }
    }

    @Test("A client that took too long gets an error, as the bytes may be deleted")
    func tooLate() async throws {
        try await withPipeline(runs: false) { running in
            let upload = try await running.pipeline.objects.beginUpload()
            let name = try #require(ObjectName("maria/a"))
            let contents = try await upload.finish()
            await #expect(throws: Failure.self) {
                _ = try await running.pipeline.objects.put(contents, as: name, ObjectMetadata()) { _ in
                    running.clock.advance(by: Self.day)
                }
            }
            #expect(try await running.pipeline.objects.object(name) == nil)
        }
    }

    @Test("A deleted person's objects are deleted, and no new ones appear meanwhile")
    func deletedPerson() async throws {
        try await withPipeline { running in
            let (pipeline, tree) = (running.pipeline, running.storage.tree)
            let maria = try #require(UserID("maria"))
            try await tree.set(PeopleNodes.person(maria), to: ["full_name": "Maria"])
            for number in 0..<250 { _ = try await put("x", as: "maria/full/\(number)", in: running) }
            let other = try await put("y", as: "maria2/full/1", in: running)
            _ = try await PersonDeletion.begin(of: maria, in: tree, pipeline.leftovers)
            await #expect(throws: Failure.self) { _ = try await put("z", as: "maria/full/new", in: running) }
            try await eventually { try await tree.get(PersonDeletion.task(of: maria)) == nil }
            #expect(try await pipeline.objects.list(ObjectQuery()).names == [other.name])
        }
    }
}
