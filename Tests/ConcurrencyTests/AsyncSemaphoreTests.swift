import Concurrency
import TestSupport
import Testing

@Suite("A limit on concurrent work", .timeLimit(.minutes(5)))
struct AsyncSemaphoreTests {
    @Test("The permits are given out, and a returned one is given to the next task in line")
    func permits() async throws {
        let semaphore = AsyncSemaphore(2)
        #expect(await semaphore.wait())
        #expect(semaphore.tryWait())
        #expect(!semaphore.tryWait())
        async let third = semaphore.wait()
        while semaphore.waitingCount < 1 { await Task.yield() }
        semaphore.signal()
        #expect(await third)
        #expect(!semaphore.tryWait())
        semaphore.signal()
        #expect(semaphore.tryWait())
    }

    @Test(
        "A cancelled task leaves the line, or does not enter it, and uses no permit",
        arguments: [true, false])
    func cancellation(isCancelledBefore: Bool) async throws {
        let semaphore = AsyncSemaphore(1)
        #expect(await semaphore.wait())
        let waiter = Task {
            if isCancelledBefore { while !Task.isCancelled { await Task.yield() } }
            _ = try await semaphore.withPermit { Issue.record("it had a permit") }
        }
        if !isCancelledBefore { while semaphore.waitingCount < 1 { await Task.yield() } }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        #expect(semaphore.waitingCount == 0)
        semaphore.signal()
        #expect(semaphore.tryWait())
    }

    @Test("An owner with many tasks does not delay another owner's task")
    func fairness() async throws {
        let semaphore = AsyncSemaphore(1, maxWaiting: 100, maxWaitingOfOwner: 100)
        #expect(await semaphore.wait(for: "first"))
        let order = Shared<[String]>([])
        await withTaskGroup { tasks in
            for index in 0..<6 {
                let owner = index < 5 ? "many" : "one"
                tasks.addTask {
                    guard await semaphore.wait(for: owner) else { return }
                    order.change { $0.append(owner) }
                    semaphore.signal()
                }
                while semaphore.waitingCount <= index { await Task.yield() }
            }
            semaphore.signal()
        }
        #expect(order.value == ["many", "one", "many", "many", "many", "many"])
    }

    @Test("The line has a limit for each owner and for all")
    func bound() async throws {
        let semaphore = AsyncSemaphore(1, maxWaiting: 3, maxWaitingOfOwner: 2)
        #expect(await semaphore.wait(for: "first"))
        let admitted = await withTaskGroup(of: Bool.self) { tasks in
            for (index, owner) in ["a", "a", "b"].enumerated() {
                tasks.addTask {
                    guard await semaphore.wait(for: owner) else { return false }
                    semaphore.signal()
                    return true
                }
                while semaphore.waitingCount <= index { await Task.yield() }
            }
            for owner in ["a", "b", "c"] { #expect(await !semaphore.wait(for: owner)) }
            semaphore.signal()
            return await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(admitted == [true, true, true])
        #expect(await semaphore.wait(for: "a"), "all turns were given back")
    }
}
