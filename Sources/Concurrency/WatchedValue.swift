public import Synchronization

/// A value whose changes tasks can wait for. Any thread.
///
/// Inlinable, since each commit changes one: a caller in another module gets a specialized version for its own type.
@usableFromInline package final class WatchedValue<Value: Sendable>: Sendable {
    @usableFromInline struct State {
        @usableFromInline var value: Value
        @usableFromInline var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        @usableFromInline var lastID: UInt64 = 0

        @inlinable init(value: Value) { self.value = value }
    }

    @usableFromInline let state: Mutex<State>

    @inlinable package init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    @inlinable package var value: Value { state.withLock { $0.value } }

    /// Changes the value, and wakes all waiting tasks.
    @inlinable package func change(_ body: (inout Value) -> Void) {
        let waiting = state.withLock { state in
            body(&state.value)
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until the value changes or the task is cancelled; returns at once if the value satisfies `isReached`.
    @inlinable package func wait(unless isReached: @Sendable (Value) -> Bool) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard !Task.isCancelled, !isReached(state.value) else { return true }
                    state.waiting[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
        }
    }
}
