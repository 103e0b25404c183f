import Posts
import Testing
import Tree

@testable import Pipeline

@Suite("The queue: each upload once, and a worker for each", .timeLimit(.minutes(5)))
struct UploadQueueTests {
    @Test func anUploadThatWaitsOrIsInWorkIsNotQueuedAgain() async {
        let (queue, ids) = (UploadQueue(), PushIDGenerator())
        let (first, second) = (ids.next(), ids.next())
        for id in [first, second, first, second] { queue.push(id) }
        #expect(queue.count == 2)
        #expect(await queue.next() == first)
        queue.push(first)
        #expect(queue.count == 1, "it is in work")
        queue.finish(first)
        queue.push(first)
        #expect(queue.count == 2, "it has ended, and comes again")
    }

    @Test func aWorkerThatWaitsGetsWhatComesAndNothingAfterTheEnd() async {
        let (queue, id) = (UploadQueue(), PushIDGenerator().next())
        async let waiting = queue.next()
        queue.push(id)
        #expect(await waiting == id)
        async let last = queue.next()
        queue.close()
        #expect(await last == nil)
        queue.push(PushIDGenerator().next())
        #expect(await queue.next() == nil)
    }

    @Test func aRetryComesBackByItself() async {
        let (queue, id) = (UploadQueue(), PushIDGenerator().next())
        queue.push(id)
        _ = await queue.next()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await queue.runRetries() }
            #expect(queue.retry(id).attempt == 1)
            #expect(await queue.next() == id)
            queue.close()
        }
    }
}
