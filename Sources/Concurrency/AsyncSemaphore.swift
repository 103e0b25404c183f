import Synchronization

/// A limit on the number of tasks that run at the same time, with a line in which owners take turns: an owner with a
/// hundred tasks delays each other owner's task by one at most, not by all of them. Any thread.
package final class AsyncSemaphore: Sendable {
    private struct State {
        var free: Int
        var line = FairLine<String, Waiter>()
    }

    private let state: Mutex<State>
    private let maxWaiting: Int
    private let maxWaitingOfOwner: Int

    /// Creates a semaphore whose permits are all free.
    ///
    /// - Parameters:
    ///   - count: The number of permits.
    ///   - maxWaiting: The length of the line, in tasks.
    ///   - maxWaitingOfOwner: The number of tasks in the line that one owner may have.
    package init(_ count: Int, maxWaiting: Int = .max, maxWaitingOfOwner: Int = .max) {
        state = Mutex(State(free: count))
        self.maxWaiting = maxWaiting
        self.maxWaitingOfOwner = maxWaitingOfOwner
    }

    /// The number of tasks in the line.
    package var waitingCount: Int { state.withLock { $0.line.count } }

    /// Acquires a permit, which ``signal()`` releases; waits in the line while none is free.
    ///
    /// - Returns: Whether the permit was acquired: false when the line is full, or the task is cancelled while it
    ///   waits.
    package func wait(for owner: String = "") async -> Bool {
        await Waiter.wait { waiter in
            state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                let own = state.line.count(of: owner)
                guard !Task.isCancelled, state.line.count < maxWaiting, own < maxWaitingOfOwner else { return false }
                state.line.append(waiter, of: owner)
                return nil
            }
        } leave: { id in
            state.withLock { state in state.line.remove(of: owner) { $0.id == id } }
        }
    }

    /// Acquires a permit if one is free.
    package func tryWait() -> Bool {
        state.withLock { state in
            guard state.free > 0 else { return false }
            state.free -= 1
            return true
        }
    }

    /// Runs a body while holding a permit.
    ///
    /// - Throws: The errors of the body; `CancellationError` when it did not run.
    package func withPermit<Value>(_ body: () async throws -> Value) async throws -> Value {
        guard await wait() else { throw CancellationError() }
        defer { signal() }
        return try await body()
    }

    /// Releases a permit to the next task in the line.
    package func signal() {
        let next = state.withLock { state in
            let next = state.line.popFirst()
            if next == nil { state.free += 1 }
            return next
        }
        next?.finish(true)
    }
}
