import API
import Files
import Keeping
import Model
import Service
import Social
import Store
import TestSupport
import Testing
import Tree

@testable import Uploads

@Suite("A person's unfinished uploads end with the person", .timeLimit(.minutes(20)))
struct DeletedOwnerTests {
    private let maria = UserID("maria")

    /// The code of the error that the body throws; nil without an error.
    private func code(_ body: () async throws -> Void) async -> ErrorCode? {
        do { try await body() } catch { return (error as? Failure)?.code }
        return nil
    }

    /// Creates a person with a reservation, a draft with a photo, and an acknowledged photo; returns the ids in this
    /// order.
    private func begin(_ running: RunningPipeline) async throws -> [PostID] {
        let uid = try #require(maria)
        try await running.storage.tree.set(PeopleNodes.person(uid) / "full_name", to: "Maria")
        var request = UploadRequest(owner: uid, intake: .socket)
        request.clientReference = "key"
        let reserved = try await running.reserve(request)
        request.clientReference = nil
        request.isDraft = true
        let draft = try await running.reserve(request)
        var session = try await running.pipeline.receiver.resumeDraft(draft.id)
        try await session.receive(try Fixture.bytes("rgb-8.png"), named: "a.png")
        _ = try await session.keepDraft(text: "")
        let accepted = try await running.accept("rgb-8.png", by: "maria")
        return [reserved.id, draft.id, accepted]
    }

    @Test("12: Reservations, drafts and uploads that wait for a worker end, with their files, also through a crash")
    func all() async throws {
        try await withScratch { scratch in
            let ids = Shared<[PostID]>([])
            try await withPipeline(in: scratch, runs: false) { running in
                let uid = try #require(maria)
                let begun = try await begin(running)
                ids.change { $0 = begun }
                let (store, people) = (running.pipeline.store, People(running.storage.tree))
                let other = try await running.accept("rgb-8.png", by: "jan")
                _ = try await people.delete(uid)
                let asked = UploadRequest(owner: uid, intake: .socket)
                #expect(await code { _ = try await store.reserve(asked) } == .wrongState)
                try await running.pipeline.tasks.runAll()
                let deletion = try #require(try await people.deletion(of: uid))
                #expect(deletion.ended != nil && deletion.counts[.uploads] == 3, "\(deletion)")
                // No client continues any of them.
                let id = ids.value[0]
                #expect(await code { _ = try await store.accept(id, photos: [], text: "late") } == .deleted)
                let draft = ids.value[1]
                #expect(await code { _ = try await store.drafts.publish(draft, text: "late") } == .deleted)
                #expect(await code { _ = try await running.pipeline.receiver.resumeDraft(draft) } == .deleted)
                ids.change { $0.append(other) }
            }
            // The process was killed at this point.
            try await withPipeline(in: scratch) { running in
                let (store, tree) = (running.pipeline.store, running.storage.tree)
                var ends: [UploadState] = []
                for id in ids.value.dropLast(2) {
                    try await eventually { try await store.record(of: id)?.state == .expired }
                }
                for id in ids.value { ends.append(try await store.end(of: id).state) }
                #expect(ends == [.expired, .expired, .failed, .published])
                #expect(try await store.record(of: ids.value[2])?.error?.code == .deleted)
                try await eventually { try await tree.get(UploadNodes.queued()) == nil }
                #expect(try await tree.get("people/maria") == nil)
                #expect(try await tree.keys(of: PostNodes.post()) == ids.value.suffix(1).map(\.key))
                #expect(!scratch.exists("Storage/blobs/maria/\(ids.value[1])"))
                #expect(!scratch.exists("Storage/blobs/maria/\(ids.value[2])"))
                #expect(try running.storage.failed.names().isEmpty)
                #expect(try await running.pipeline.unclaimed.list().isEmpty)
                // A client that returns begins again, with the same key.
                let again = try await running.upload([], by: "maria", text: "back", reference: "key")
                #expect(again.state == .published)
                #expect(try await tree.get("people/maria/full_name") == "maria")
            }
        }
    }

    @Test("12: An upload that is committed while its owner is being deleted does not restore the person")
    func commit() async throws {
        try await withPipeline(runs: false) { running in
            let ids = try await begin(running)
            _ = try await People(running.storage.tree).delete(try #require(maria))
            let record = try #require(try await running.pipeline.store.record(of: ids[2]))
            #expect(await code { _ = try await running.pipeline.publisher.publish(record) } == .deleted)
            #expect(try await running.storage.tree.get("people/maria") == nil)
            #expect(try await running.storage.tree.get(PostNodes.post()) == nil)
            // A worker had claimed it before the deletion reached it.
            try await running.pipeline.tasks.runAll()
            #expect(await code { _ = try await running.pipeline.publisher.publish(record) } == .deleted)
            #expect(try await running.storage.tree.get("people/maria") == nil)
        }
    }

    @Test("12: All of a person's uploads are found, in parts, however many uploads others have begun")
    func many() async throws {
        try await withPipeline(runs: false) { running in
            let tree = running.storage.tree
            var update = MultiPathUpdate()
            for number in 0..<450 {
                let owner = number % 50 == 7 ? "maria" : "jan"
                let record = UploadRecord(
                    id: running.storage.ids.next(), owner: try #require(UserID(owner)), intake: .socket,
                    state: .reserved,
                    text: "", clientReference: nil, source: nil, createdAt: 0)
                update[UploadNodes.upload(record.id)] = try record.value()
                update[UploadNodes.queued(record.id)] = QueueEntry(record).value
            }
            try await tree.update(update)
            let uid = try #require(maria)
            try await tree.set(PeopleNodes.person(uid) / "full_name", to: "Maria")
            _ = try await People(tree).delete(uid)
            try await running.pipeline.tasks.runAll()
            #expect(try await People(tree).deletion(of: uid)?.counts[.uploads] == 9)
            try await running.pipeline.janitor.sweep()
            let left = try await tree.children(of: UploadNodes.queued()).compactMap { QueueEntry($0) }
            #expect(left.count == 441 && left.allSatisfy { $0.owner?.description == "jan" })
        }
    }

    @Test("12: A person with nothing but unfinished uploads can be deleted, and none of the uploads appears")
    func beginner() async throws {
        try await withPipeline(runs: false) { running in
            let people = People(running.storage.tree, leftovers: running.pipeline.leftovers)
            let uid = try #require(maria)
            #expect(await code { _ = try await people.delete(uid) } == .notFound)
            _ = try await running.accept("rgb-8.png", by: "jan")
            #expect(await code { _ = try await people.delete(uid) } == .notFound)
            let id = try await running.accept("rgb-8.png", by: "maria")
            _ = try await people.delete(uid)
            try await running.pipeline.tasks.runAll()
            let deletion = try #require(try await people.deletion(of: uid))
            #expect(deletion.ended != nil && deletion.counts[.uploads] == 1, "\(deletion)")
            let record = try #require(try await running.pipeline.store.record(of: id))
            #expect(throws: Failure.self) { try record.requireOwner() }
        }
    }
}
