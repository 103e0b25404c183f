import API
import Foundation
import Imaging
import Model
import NIOCore
import Service
import Store
import TestSupport
import Testing
import Tree

@testable import Keeping
@testable import Uploads

@Suite("The space that files use", .timeLimit(.minutes(10)))
struct UsageTests {
    private func usage(_ running: RunningPipeline, of user: String) async throws -> UsageDocument {
        try await running.pipeline.usage.document(of: try #require(UserID(user)))
    }

    /// Measures a user's folder of the blob store.
    private func disk(_ running: RunningPipeline, of user: String) async throws -> UsageDocument.Size {
        var size = UsageDocument.Size()
        for id in try await running.storage.blobs.postIDs(userID: user) {
            for file in try await running.storage.blobs.files(userID: user, postID: id) {
                (size.bytes, size.files) = (size.bytes + file.byteCount, size.files + 1)
            }
        }
        return size
    }

    @Test("Each kind is counted from the commit that creates it to the one that deletes it")
    func kinds() async throws {
        try await withPipeline { running in
            let photo = try Fixture.bytes("baseline-420.jpg")
            let post = try await running.upload([(name: "a.jpg", bytes: photo)], by: "maria")
            var usage = try await usage(running, of: "maria")
            #expect(usage.originals == .init(bytes: photo.count, files: 1))
            #expect(usage.renditions.files == running.pipeline.settings.recipes.count && usage.garbage.files == 0)
            let renditions = usage.renditions

            try await running.tree(PostNodes.post(post.id), nil)
            usage = try await self.usage(running, of: "maria")
            #expect(usage.originals.files == 0 && usage.renditions.files == 0)
            #expect(usage.garbage == .init(bytes: photo.count + renditions.bytes, files: 1 + renditions.files))
            #expect(usage.total == usage.garbage)

            running.clock.advance(by: 49 * 3_600_000)
            try await running.pipeline.janitor.sweep()
            #expect(try await self.usage(running, of: "maria").total == .init())

            var request = UploadRequest(owner: try #require(UserID("maria")), intake: .socket)
            request.isDraft = true
            var session = running.pipeline.receiver.resume(try await running.reserve(request))
            try await session.receive(photo, named: "b.jpg")
            usage = try await self.usage(running, of: "maria")
            #expect(usage.unfinished == .init(bytes: photo.count, files: 1) && usage.originals.files == 0)

            request = UploadRequest(owner: try #require(UserID("jan")), intake: .socket)
            let begun = try await running.pipeline.resumable.begin(request, .init(name: "c.jpg", length: 12_345))
            guard case .new(let receiving) = begun else {
                Issue.record("\(begun)")
                return
            }
            #expect(try await self.usage(running, of: "jan").unfinished == .init(bytes: 12_345, files: 1))
            try await running.pipeline.resumable.cancel(receiving.id)
            #expect(try await running.storage.tree.get(UsageNodes.ofOwner() / "jan") == nil)
        }
    }

    @Test("A deleted object counts as garbage until its bytes are deleted", arguments: ["txt", "jpg"])
    func objects(_ type: String) async throws {
        try await withPipeline { running in
            let bytes = type == "jpg" ? try Fixture.bytes("baseline-420.jpg") : Array("words".utf8)
            let (objects, name) = (
                running.pipeline.objects, try #require(ObjectName(type == "jpg" ? "maria/full/1/a.jpg" : "maria/a.txt"))
            )
            let upload = try await objects.beginUpload()
            try await upload.write(ByteBuffer(bytes: bytes))
            let object = try await objects.put(try await upload.finish(), as: name, ObjectMetadata()) { _ in }
            if type == "jpg", let id = PostID(object.blob.postID) { _ = try await running.pipeline.store.end(of: id) }
            var usage = try await running.pipeline.usage.page(after: nil, limit: 10).all
            #expect(usage.objects == .init(bytes: bytes.count, files: 1) && usage.originals.files == 0)
            var disk = try await disk(running, of: "maria")
            #expect(usage.total == disk)
            try await objects.delete(name) { _ in }
            usage = try await running.pipeline.usage.page(after: nil, limit: 10).all
            disk = try await self.disk(running, of: "maria")
            #expect(usage.total == usage.garbage && usage.total == disk)
            running.clock.advance(by: 49 * 3_600_000)
            try await running.pipeline.janitor.sweep()
            #expect(try await running.pipeline.usage.page(after: nil, limit: 10).all.total == .init())
        }
    }

    @Test("The sums match the disk, whatever people, runs and sweeps do")
    func random() async throws {
        let run = RandomRun(rounds: 80)
        try await withPipeline { running in
            var random = SeededGenerator(seed: run.seed)
            var posts: [PostID] = []
            for round in 0..<run.rounds {
                try await step(running, round, &random, &posts)
                guard round % 8 == 0 else { continue }
                for user in ["maria", "jan"] {
                    let line = try await running.storage.tree.get(UsageNodes.ofOwner() / (try TreeKey(user)))
                    let counted = Usage(line).document(of: user).total
                    let there = try await disk(running, of: user)
                    #expect(counted == there, "seed \(run.seed), round \(round), \(user)")
                }
                let findings = try await StoreCheckStore.findings(running)
                #expect(findings.isEmpty, "seed \(run.seed), round \(round): \(findings)")
            }
        }
    }

    private func step(
        _ running: RunningPipeline, _ round: Int, _ random: inout SeededGenerator, _ posts: inout [PostID]
    ) async throws {
        let user = random.pick(["maria", "jan"])
        switch random.below(8) {
        case 0...2:
            let bytes = try Fixture.bytes("size-97x61.jpg") + Array("\(round)".utf8)
            let photos = (0..<1 + random.below(2)).map { (name: "\($0).jpg", bytes: bytes + [UInt8($0)]) }
            posts.append(try await running.upload(photos, by: user, text: "\(round)").id)
        case 3:
            guard let index = posts.indices.randomElement(using: &random) else { return }
            try await running.tree(PostNodes.post(posts.remove(at: index)), nil)
        case 4:
            guard let id = posts.randomElement(using: &random) else { return }
            let decision: ModerationDecision = random.chance(50) ? .blur : .pass
            _ = try await running.pipeline.moderation.moderate(id, ModerationVerdict(decision))
        case 5:
            let objects = running.pipeline.objects
            let name = try #require(ObjectName("\(user)/\(random.below(3))"))
            if random.chance(30), try await objects.object(name) != nil {
                return try await objects.delete(name) { _ in }
            }
            let upload = try await objects.beginUpload()
            try await upload.write(ByteBuffer(string: "\(round)"))
            _ = try await objects.put(try await upload.finish(), as: name, ObjectMetadata()) { _ in }
        case 6:
            var order = BatchOrder(.rethumb)
            order.switches = random.chance(50) ? .last : .each
            order.recipes = [try Recipe(parsing: random.pick(["thumb=48,cover", "thumb=32"]))]
            let job = try await running.pipeline.postRuns.begin(order)
            try await eventually {
                let state = try await running.pipeline.postRuns.list().first { $0.id == job.id }?.state
                return state != .running
            }
            if order.switches == .last, random.chance(50) {
                _ = try await running.pipeline.postRuns.begin(.rollback, of: job.id)
                try await eventually {
                    try await running.pipeline.postRuns.list().first { $0.id == job.id }?.state != .running
                }
            }
        default:
            running.clock.advance(by: Int64(random.below(40)) * 3_600_000)
            try await running.pipeline.janitor.sweep()
        }
    }

    @Test("A store of an earlier version is counted once, and one whose lines are wrong is repaired")
    func counted() async throws {
        try await withPipeline { running in
            let store = try await StoreCheckStore(running)
            let reader = running.pipeline.usage
            let sound = try await reader.page(after: nil, limit: 10)
            #expect(sound.isComplete && sound.users.map(\.user) == ["maria"] && sound.all.total == sound.users[0].total)
            try await store.write([TreePath(["usage"], in: .pipeline): nil])
            #expect(try await store.audit(.check).findings.isEmpty, "nothing is claimed about uncounted files")
            #expect(try await !reader.page(after: nil, limit: 10).isComplete)
            try await running.pipeline.upgrade.usage.run()
            let counted = try await reader.page(after: nil, limit: 10)
            #expect(counted.isComplete && counted.users == sound.users && counted.all == sound.all)

            let maria = UsageNodes.ofOwner() / "maria"
            try await store.write([
                maria: "1 2 3 4 5 6 7 8 9 10 11 12", UsageNodes.ofAll(): nil,
                UsageNodes.ofFile() / "maria" / store.post.key: nil,
            ])
            let found = try await store.audit(.check).findings
            #expect(found.count { $0.kind == .counterWrong } == 3, "\(found)")
            _ = try await store.audit(.repair, changes: true)
            #expect(try await store.audit(.check).findings.isEmpty)
            #expect(try await reader.page(after: nil, limit: 10).users == sound.users)
        }
    }

    @Test("Pages continue after the end of the one before, and an unknown person is not found")
    func pages() async throws {
        try await withPipeline { running in
            let photo = (name: "a.jpg", bytes: try Fixture.bytes("size-97x61.jpg"))
            for user in ["a", "b", "c"] { _ = try await running.upload([photo], by: user) }
            let reader = running.pipeline.usage
            let first = try await reader.page(after: nil, limit: 2)
            #expect(first.users.map(\.user) == ["a", "b"] && first.next == "b" && first.hasMore)
            let second = try await reader.page(after: UserID("b"), limit: 2)
            #expect(second.users.map(\.user) == ["c"] && second.next == nil && !second.hasMore)
            #expect(second.all.originals == .init(bytes: 3 * photo.bytes.count, files: 3))
            await #expect(throws: Failure.self) { try await usage(running, of: "nobody") }
        }
    }
}

extension RunningPipeline {
    /// Writes one path of the tree, as a client of the database does.
    fileprivate func tree(_ path: TreePath, _ value: TreeValue?) async throws {
        try await storage.tree.set(path, to: value)
    }
}
