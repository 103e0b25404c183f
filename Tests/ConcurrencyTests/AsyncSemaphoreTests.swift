import Concurrency
import TestSupport
import Testing

@Suite("A bound on how much is done at a time", .timeLimit(.minutes(5)))
struct AsyncSemaphoreTests {
    @Test("As many have a permit as there are, and the next one has it when one is given back")
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
        "A task that is cancelled leaves the line, or does not enter it, and takes nobody's permit",
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

    @Test("One who sends many makes nobody wait for more than those before")
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

    @Test("The line has an end, for each owner and for all")
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
