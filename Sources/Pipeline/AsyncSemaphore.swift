import Synchronization

/// A bound on how much is done at a time: take a slot before, give it back after.
package final class AsyncSemaphore: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    package init(_ count: Int) {
        state = Mutex(State(free: count))
    }

    /// Waits until a slot is free, and takes it.
    package func wait() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    /// Takes a slot if one is free.
    package func tryWait() -> Bool {
        state.withLock { state in
            guard state.free > 0 else { return false }
            state.free -= 1
            return true
        }
    }

    /// Runs work while holding a slot.
    package func withPermit<R>(_ body: () async throws -> R) async rethrows -> R {
        await wait()
        defer { signal() }
        return try await body()
    }

    /// Gives a slot back.
    package func signal() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            if state.waiting.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
