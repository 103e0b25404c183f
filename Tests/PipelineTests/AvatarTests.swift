import API
import Files
import Foundation
import Imaging
import Model
import Service
import Social
import Store
import TestSupport
import Testing
import Tree

@testable import Keeping
@testable import Uploads

@Suite("A person's picture is processed as photos of posts are", .timeLimit(.minutes(20)))
struct AvatarTests {
    private let maria = UserID("maria")

    /// Creates a person, and returns the id.
    private func person(_ running: RunningPipeline) async throws -> UserID {
        let uid = try #require(maria)
        try await running.storage.tree.set(PeopleNodes.person(uid) / "full_name", to: "Maria")
        return uid
    }

    /// Sends a picture, and returns when it is acknowledged.
    private func accept(_ fixture: String, of uid: UserID, _ running: RunningPipeline) async throws -> PostID {
        var request = UploadRequest(owner: uid, intake: .socket)
        request.purpose = .avatar
        var session = running.pipeline.receiver.resume(try await running.reserve(request))
        try await session.receive(try Fixture.bytes(fixture), named: fixture)
        return try await session.accept(text: "").id
    }

    private func send(_ fixture: String, of uid: UserID, _ running: RunningPipeline) async throws -> UploadRecord {
        try await running.pipeline.store.end(of: try await accept(fixture, of: uid, running))
    }

    private func picture(of uid: UserID, _ running: RunningPipeline) async throws -> String? {
        try await running.storage.tree.get(PeopleNodes.person(uid) / "profile_picture")?.stringValue
    }

    private func files(of record: UploadRecord, _ running: RunningPipeline) async throws -> [String] {
        try await running.storage.blobs.fileNames(
            userID: record.owner.description, postID: record.id.description)
    }

    /// Ends the grace period of deleted files, and sweeps.
    private func sweepAll(_ running: RunningPipeline) async throws {
        let tree = running.storage.tree
        for key in try await tree.keys(of: FileNodes.deleted()) { try await tree.set(FileNodes.deleted() / key, to: 0) }
        try await running.pipeline.janitor.sweep()
    }

    @Test(
        "38: An avatar is a square with its own recipe, and not a post",
        arguments: [("size-640x480.jpg", 480), ("rgb-8.png", nil), ("orientation-6-mm.jpg", nil)] as [(String, Int?)])
    func square(_ fixture: String, _ side: Int?) async throws {
        try await withPipeline { running in
            let uid = try await person(running)
            let record = try await send(fixture, of: uid, running)
            #expect(record.state == .published)
            let picture = try #require(try await picture(of: uid, running))
            let file = try #require(picture.split(separator: "/").last.map(String.init))
            #expect(picture == "/media/maria/\(record.id)/\(file)" && file.hasPrefix("avatar-"))
            let names = try await files(of: record, running)
            #expect(names.count == 2 && names.contains(file), "the original and the picture: \(names)")
            let blob = try BlobName(userID: "maria", postID: "\(record.id)", fileName: file)
            let bytes = try await running.storage.blobs.open(blob).readAll(maxBytes: 1 << 20)
            let header = try ImageHeader.read(bytes.span)
            #expect(header.size.width == header.size.height && header.format == .jpeg)
            #expect(header.size.width <= 512)
            #expect(side == nil || header.size.width == side)
            let tree = running.storage.tree
            #expect(try await tree.get(PostNodes.post()) == nil)
            #expect(try await tree.get(PeopleNodes.ownPost(uid)) == nil)
            #expect(try await tree.get(UploadNodes.queued()) == nil)
            #expect(try await running.pipeline.unclaimed.list().isEmpty)
            // The same photo is not a duplicate of a picture, nor the reverse.
            let post = try await running.upload([(fixture, try Fixture.bytes(fixture))], by: "maria")
            #expect(post.state == .published)
            #expect(try await send(fixture, of: uid, running).state == .published)
        }
    }

    @Test(
        "38: A new avatar has a new address, in the commit that ends its upload; the old file stays in the grace period"
    )
    func replaced() async throws {
        try await withPipeline { running in
            let uid = try await person(running)
            var records: [UploadRecord] = []
            var pictures: Set<String?> = []
            for fixture in ["size-640x480.jpg", "rgb-8.png", "size-640x480.jpg"] {
                records.append(try await send(fixture, of: uid, running))
                pictures.insert(try await picture(of: uid, running))
            }
            #expect(pictures.count == 3)
            try await running.pipeline.janitor.sweep()
            for record in records { #expect(try await files(of: record, running).count == 2) }
            #expect(try await running.pipeline.unclaimed.list().isEmpty)
            try await sweepAll(running)
            for record in records.dropLast() {
                #expect(try await files(of: record, running).isEmpty)
                #expect(try await running.pipeline.store.record(of: record.id)?.state == .deleted)
            }
            #expect(try await files(of: records[2], running).count == 2)
            #expect(try await running.storage.tree.get(FileNodes.deleted()) == nil)
        }
    }

    @Test("A service with a public address keeps pictures there; they are replaced and deleted as others are")
    func publicAddress() async throws {
        try await withScratch { scratch in
            let first = Shared<UploadRecord?>(nil)
            try await withPipeline(in: scratch) { running in
                let record = try await send("size-640x480.jpg", of: try await person(running), running)
                first.change { $0 = record }
            }
            let old = try #require(first.value)
            let place = PublicBase(origin: "https://photos.example.org", bucket: "demo.appspot.com")
            try await withPipeline(in: scratch, publicBase: place) { running in
                let uid = try #require(maria)
                #expect(try await picture(of: uid, running)?.hasPrefix("/media/maria/\(old.id)/avatar-") == true)
                let new = try await send("rgb-8.png", of: uid, running)
                let prefix = "https://photos.example.org/v0/b/demo.appspot.com/o/maria%2Frendition%2F"
                #expect(try await picture(of: uid, running)?.hasPrefix("\(prefix)\(new.id)%2Favatar-") == true)
                try await sweepAll(running)
                #expect(try await files(of: old, running).isEmpty)
                #expect(try await files(of: new, running).count == 2)
                #expect(try await running.pipeline.unclaimed.list().isEmpty)
                // A client removes it through the database.
                try await running.storage.tree.set(PeopleNodes.person(uid) / "profile_picture", to: nil)
                try await sweepAll(running)
                #expect(try await files(of: new, running).isEmpty)
            }
        }
    }

    @Test("38: After a write of the picture's address, unnamed files are deleted, and files that are named again stay")
    func rawWrites() async throws {
        try await withPipeline { running in
            let uid = try await person(running)
            let tree = running.storage.tree
            let field = PeopleNodes.person(uid) / "profile_picture"
            let first = try await send("rgb-8.png", of: uid, running)
            let firstURL = try await picture(of: uid, running)
            let second = try await send("rgb-8.png", of: uid, running)
            // A client restores the previous picture.
            try await tree.set(field, to: firstURL.map(TreeValue.string))
            try await sweepAll(running)
            #expect(try await files(of: first, running).count == 2)
            #expect(try await files(of: second, running).isEmpty)
            // Another person's record cannot remove it, and a post's photo stays although it is no longer a picture.
            let post = try await running.upload([("a.png", try Fixture.bytes("rgb-8.png"))], by: "maria")
            try await tree.set("people/jan/profile_picture", to: firstURL.map(TreeValue.string))
            try await tree.set("people/jan/profile_picture", to: .string("/media/jan/\(first.id)/avatar.jpg"))
            try await tree.set("people/jan", to: nil)
            try await sweepAll(running)
            #expect(try await files(of: first, running).count == 2)
            try await tree.set(field, to: .string("/media/maria/\(post.id)/thumb.jpg"))
            try await tree.set(field, to: "https://example.com/a.jpg")
            #expect(try await tree.keys(of: FileNodes.deleted()) == [first.id.key])
            try await sweepAll(running)
            #expect(try await files(of: first, running).isEmpty)
            #expect(try await files(of: post, running).count > 2)
        }
    }

    @Test("12, 38: A deleted person's picture is deleted, too")
    func deletedPerson() async throws {
        try await withPipeline { running in
            let uid = try await person(running)
            let record = try await send("rgb-8.png", of: uid, running)
            _ = try await People(running.storage.tree).delete(uid)
            #expect(try await picture(of: uid, running) == nil)
            #expect(try await running.storage.tree.get(FileNodes.deleted(record.id)) != nil)
            try await eventually { try await running.storage.tree.get(PeopleNodes.person(uid)) == nil }
            try await sweepAll(running)
            #expect(try await files(of: record, running).isEmpty)
        }
    }

    @Test("38: A crash before the commit costs time, not the picture; the last upload wins")
    func crash() async throws {
        try await withScratch { scratch in
            let ids = Shared<[PostID]>([])
            try await withPipeline(in: scratch, runs: false) { running in
                let uid = try await person(running)
                for fixture in ["size-640x480.jpg", "rgb-8.png"] {
                    let id = try await accept(fixture, of: uid, running)
                    ids.change { $0.append(id) }
                    // Simulates renditions of other recipes, or half an attempt, before it was cut off.
                    try scratch.write([1], to: "Storage/blobs/maria/\(id)/avatar-00000000.jpg")
                }
                #expect(try await running.pipeline.unclaimed.list().isEmpty)
            }
            try await withPipeline(in: scratch) { running in
                for id in ids.value {
                    let record = try await running.pipeline.store.end(of: id)
                    #expect(record.state == .published)
                }
                let last = try #require(ids.value.last)
                let uid = try #require(maria)
                #expect(try await picture(of: uid, running)?.hasPrefix("/media/maria/\(last)/") == true)
                #expect(try await running.storage.tree.keys(of: FileNodes.deleted()) == ids.value.dropLast().map(\.key))
                let garbage = try await running.storage.tree.children(of: FileNodes.garbage())
                #expect(garbage.count == 2, "earlier renditions are deleted")
                #expect(try await running.storage.tree.get(UploadNodes.queued()) == nil)
            }
        }
    }

    @Test("38: A file that cannot be decoded is refused and leaves nothing; the picture stays")
    func damaged() async throws {
        try await withPipeline { running in
            let uid = try await person(running)
            let record = try await send("rgb-8.png", of: uid, running)
            var request = UploadRequest(owner: uid, intake: .socket)
            request.purpose = .avatar
            var session = running.pipeline.receiver.resume(try await running.reserve(request))
            try await session.receive(Array(try Fixture.bytes("size-640x480.jpg").prefix(1000)), named: "a.jpg")
            let id = try await session.accept(text: "").id
            let failed = try await running.pipeline.store.end(of: id)
            #expect(failed.state == .failed && failed.error?.code == .truncated, "\(String(describing: failed.error))")
            try await eventually { try await files(of: failed, running).isEmpty }
            #expect(try running.storage.failed.names().isEmpty)
            #expect(try await picture(of: uid, running)?.contains("\(record.id)") == true)
        }
    }

    @Test("38: A person who does not exist, or no longer exists, gets no picture")
    func nobody() async throws {
        try await withPipeline(runs: false) { running in
            let uid = try #require(maria)
            var request = UploadRequest(owner: uid, intake: .socket)
            request.purpose = .avatar
            #expect(await Self.code { _ = try await running.reserve(request) } == .notFound)
            _ = try await person(running)
            let id = try await accept("rgb-8.png", of: uid, running)
            try await running.storage.tree.set(PeopleNodes.person(uid), to: nil)
            let record = try #require(try await running.pipeline.store.record(of: id))
            let late = await Self.code { _ = try await running.pipeline.publisher.publish(record) }
            #expect(late == .notFound)
            #expect(try await running.storage.tree.get(PeopleNodes.person()) == nil)
        }
    }

    /// The code of the error that the body throws; nil without an error.
    private static func code(_ body: () async throws -> Void) async -> ErrorCode? {
        do { try await body() } catch { return (error as? Failure)?.code }
        return nil
    }

    @Test("The location is removed from an avatar's original as from a post's, and the new file is kept")
    func scrub() async throws {
        try await withPipeline(settings: { $0.gracePeriod = .zero }) { running in
            let uid = try await person(running)
            let record = try await send("exif-gps.jpg", of: uid, running)
            let picture = try await picture(of: uid, running)
            let job = OriginalScrub(running.pipeline.tools, isCheck: false)
            let progress = try await job.run { _ in }
            #expect(progress.total == 1 && progress.switched == 1 && progress.failed == 0, "\(progress)")
            running.clock.advance()
            try await running.pipeline.janitor.sweep()
            let names = try await files(of: record, running)
            #expect(names.count == 2 && names.contains { $0.hasPrefix("original-scrubbed-") }, "\(names)")
            #expect(try await self.picture(of: uid, running) == picture)
            #expect(try await job.run { _ in }.switched == 0)
        }
    }

    @Test("The moderator of posts decides about pictures, too; a refused picture has no owner")
    func moderated() async throws {
        let asked = Shared<[ModerationRequest]>([])
        let moderator = Moderator(photos: .bytes) { json in
            let request = try ModerationRequest(json: Data(json))
            asked.change { $0.append(request) }
            return Array(#"{"decision":"\#(asked.value.count > 1 ? "refuse" : "pass")"}"#.utf8)
        }
        try await withPipeline(moderator: moderator) { running in
            let uid = try await person(running)
            try await running.storage.tree.set("privacy/maria/content", to: false)
            let passed = try await send("rgb-8.png", of: uid, running)
            #expect(passed.state == .published)
            let address = try #require(try await picture(of: uid, running))
            #expect(asked.value.map(\.kind) == ["avatar"] && asked.value.first?.uid == "maria")
            let refused = try await send("rgb-8.png", of: uid, running)
            #expect(refused.state == .failed && refused.error?.code == .moderationRefused)
            try await running.storage.tree.set("privacy/maria/data_processing", to: false)
            var refusal: Failure?
            do { _ = try await accept("rgb-8.png", of: uid, running) } catch let failure as Failure {
                refusal = failure
            }
            #expect(refusal?.code == .notConsented)
            #expect(try await picture(of: uid, running) == address)
        }
    }
}
