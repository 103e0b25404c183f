import API
import Model
import Testing
import Tree

@testable import Uploads

@Suite("The queue: each upload once, and a worker for each", .timeLimit(.minutes(20)))
struct UploadQueueTests {
    private let maria, ann, bob: UserID

    init() throws {
        maria = try #require(UserID("maria"))
        ann = try #require(UserID("ann"))
        bob = try #require(UserID("bob"))
    }

    @Test("A user who sends thousands delays no other: users take turns")
    func schedule() async {
        let (queue, ids) = (UploadQueue(), PushIDGenerator())
        let many = (0..<1000).map { _ in ids.next() }
        for id in many { queue.push(id, of: maria) }
        let others = (0..<3).map { _ in ids.next() }
        for (id, owner) in zip(others, [ann, bob, ann]) { queue.push(id, of: owner) }
        var order: [PostID] = []
        while queue.count > 0, let work = await queue.next() { order.append(work.id) }
        #expect(order.prefix(5) == [many[0], others[0], others[1], many[1], others[2]])
        #expect(order.count == 1003 && order.filter(many.contains) == many, "each user's in their order")
        #expect(queue.oldestTimestamp == nil)
        queue.push(ids.next(), of: bob)
        #expect(queue.oldestTimestamp != nil)
    }

    @Test func anUploadThatWaitsOrIsInWorkIsNotQueuedAgain() async {
        let (queue, ids) = (UploadQueue(), PushIDGenerator())
        let (first, second) = (ids.next(), ids.next())
        for id in [first, second, first, second] { queue.push(id, of: maria) }
        #expect(queue.count == 2)
        #expect(await queue.next()?.id == first)
        queue.push(first, of: maria)
        #expect(queue.count == 1, "it is in work")
        queue.finish(first)
        queue.push(first, of: maria)
        #expect(queue.count == 2, "it has ended, and is queued again")
    }

    @Test func aWorkerThatWaitsGetsWhatComesAndNothingAfterTheEnd() async {
        let (queue, id) = (UploadQueue(), PushIDGenerator().next())
        async let waiting = queue.next()
        queue.push(id, of: maria)
        #expect(await waiting?.id == id)
        async let last = queue.next()
        queue.close()
        #expect(await last?.id == nil)
        queue.push(PushIDGenerator().next(), of: maria)
        #expect(await queue.next()?.id == nil)
    }

    @Test func aRetryComesBackByItself() async {
        let (queue, id) = (UploadQueue(), PushIDGenerator().next())
        queue.push(id, of: maria)
        _ = await queue.next()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await queue.runRetries { id, _ in #expect(queue.countAttempt(id) == 1) } }
            queue.setAside(id, after: Failure(.io, "", isTransient: true))
            #expect(await queue.next()?.id == id)
            queue.close()
        }
    }
}
