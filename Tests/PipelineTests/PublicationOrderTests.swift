import API
import Model
import Service
import TestSupport
import Testing
import Tree

@testable import Uploads

@Suite("Uploads that keep their order are published one after the other, and no worker waits", .timeLimit(.minutes(20)))
struct PublicationOrderTests {
    private let queue = UploadQueue()
    private let ids = PushIDGenerator()
    private let maria, kim: UserID

    init() throws {
        maria = try #require(UserID("maria"))
        kim = try #require(UserID("kim"))
    }

    /// Returns the record of an upload that is about to be rendered.
    private func rendered(_ id: PostID, of owner: UserID) -> UploadRecord {
        UploadRecord(
            id: id, owner: owner, intake: .inbox, state: .ingested, text: "", clientReference: nil, source: nil,
            createdAt: 1)
    }

    /// Claims a number of maria's uploads for workers.
    private func begin(_ count: Int) async -> [UploadRecord] {
        var records: [UploadRecord] = []
        for _ in 0..<count {
            let id = ids.next()
            queue.push(id, of: maria, keepingOrder: true)
            #expect(await queue.next()?.id == id)
            records.append(rendered(id, of: maria))
        }
        return records
    }

    @Test("An upload rendered before its turn is handed out in its turn, before all that wait for rendering")
    func turns() async {
        let records = await begin(3)
        #expect(!queue.hasTurn(records[2]) && !queue.hasTurn(records[1]) && queue.hasTurn(records[0]))
        let other = ids.next()
        queue.push(other, of: kim, keepingOrder: true)
        for (ended, next) in zip(records, records.dropFirst()) {
            queue.finish(ended.id)
            #expect(await queue.next()?.rendered?.id == next.id)
            #expect(queue.hasTurn(next))
        }
        queue.finish(records[2].id)
        let last = await queue.next()
        #expect(last?.id == other && last?.rendered == nil)
        #expect(queue.hasTurn(rendered(other, of: kim)))
    }

    @Test("An idle worker gets the upload whose turn it is at once")
    func idleWorker() async {
        let records = await begin(2)
        #expect(!queue.hasTurn(records[1]))
        async let waiting = queue.next()
        queue.finish(records[0].id)
        #expect(await waiting?.rendered?.id == records[1].id)
    }

    @Test("The order is that of the ids, not of acknowledgement; uploads without an order, and of others, never wait")
    func acknowledgement() async {
        let expected = ids.next()
        let free = ids.next()
        let records = await begin(1)
        queue.expect(expected, of: maria)
        #expect(!queue.hasTurn(records[0]))
        queue.push(free, of: maria)
        #expect(queue.hasTurn(rendered(free, of: maria)))
        queue.push(expected, of: maria, keepingOrder: true)
        #expect(queue.hasTurn(rendered(expected, of: maria)))
    }

    @Test("A retried upload follows those that were ready, and precedes those that were not")
    func retry() async {
        let records = await begin(3)
        #expect(!queue.hasTurn(records[1]))
        queue.letOthersPass(records[0].id)
        #expect(await queue.next()?.rendered?.id == records[1].id)
        #expect(queue.hasTurn(records[1]))
        queue.finish(records[1].id)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await queue.runRetries { _, _ in } }
            queue.setAside(records[0].id, after: Failure(.io, "", isTransient: true))
            #expect(await queue.next()?.id == records[0].id)
            queue.close()
        }
        #expect(!queue.hasTurn(records[2]) && queue.hasTurn(records[0]))
    }

    @Test("An upload that waits for its turn is handed out when it is released itself: none is lost")
    func letGo() async {
        let records = await begin(2)
        #expect(!queue.hasTurn(records[1]))
        queue.letOthersPass(records[1].id)
        #expect(await queue.next()?.rendered?.id == records[1].id)
        #expect(queue.hasTurn(records[1]) && queue.hasTurn(records[0]))
    }

    @Test("A reservation that ends without a post is no longer waited for", arguments: [UploadState.failed, .expired])
    func reservation(end: UploadState) async throws {
        try await withPipeline { running in
            let (store, receiver) = (running.pipeline.store, running.pipeline.receiver)
            let first = try await running.reserve(UploadRequest(owner: maria, intake: .inbox))
            var session = receiver.resume(try await running.reserve(UploadRequest(owner: maria, intake: .inbox)))
            try await session.receive(Fixture.bytes("size-97x61.jpg"), named: "a.jpg")
            let second = try await session.accept(text: "").id
            let own = try await running.upload([], by: "maria", text: "not from the inbox")
            #expect(own.state == .published)
            #expect(try await store.record(of: second)?.state == .ingested)
            if end == .failed {
                try await store.fail(first.id, from: .reserved, with: Failure(.emptyFile, "empty"))
            } else {
                try await store.expire(first.id, from: .reserved)
            }
            #expect(try await store.end(of: second).state == .published)
        }
    }
}
