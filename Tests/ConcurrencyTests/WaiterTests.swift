import Concurrency
import Synchronization
import TestSupport
import Testing

@Suite("A task that waits in a line", .timeLimit(.minutes(5)))
struct WaiterTests {
    /// A line for one waiter, which tests can inspect.
    private final class Line: Sendable {
        let waiting = Mutex<Waiter?>(nil)

        func wait(answer: Bool? = nil) async -> Bool {
            await Waiter.wait { waiter in
                waiting.withLock { waiting in
                    if let answer { return answer }
                    guard !Task.isCancelled else { return false }
                    waiting = waiter
                    return nil
                }
            } leave: { id in
                waiting.withLock { waiting in
                    guard waiting?.id == id else { return nil }
                    defer { waiting = nil }
                    return waiting
                }
            }
        }

        func take() -> Waiter? { waiting.withLock { $0.take() } }
    }

    @Test("It gets its answer, at once or when its turn comes", arguments: [true, false])
    func answers(answer: Bool) async {
        let line = Line()
        #expect(await line.wait(answer: answer) == answer)
        async let later = line.wait()
        while line.waiting.withLock({ $0 == nil }) { await Task.yield() }
        line.take()?.finish(answer)
        #expect(await later == answer)
    }

    @Test("A cancelled task leaves the line, and gets no turn", arguments: [true, false])
    func cancellation(isCancelledBefore: Bool) async {
        let line = Line()
        let task = Task {
            if isCancelledBefore { while !Task.isCancelled { await Task.yield() } }
            return await line.wait()
        }
        if !isCancelledBefore { while line.waiting.withLock({ $0 == nil }) { await Task.yield() } }
        task.cancel()
        #expect(await !task.value)
        #expect(line.take()?.id == nil)
    }

    @Test("A turn that arrives during the cancellation is accepted or refused, once")
    func race() async {
        for _ in 0..<500 {
            let line = Line()
            let task = Task { await line.wait() }
            while line.waiting.withLock({ $0 == nil }) { await Task.yield() }
            async let cancelled: Void = task.cancel()
            let waiter = line.take()
            waiter?.finish(true)
            await cancelled
            #expect(await task.value == (waiter != nil))
        }
    }
}
