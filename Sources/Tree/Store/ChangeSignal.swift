import Synchronization

/// Wakes those who wait for the next committed change.
final class ChangeSignal: Sendable {
    private struct State {
        var last = SyncToken.start
        var isClosed = false
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Tells that all changes up to a position can be read.
    func advance(to token: SyncToken) {
        let waiting = state.withLock { state in
            state.last = max(state.last, token)
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Wakes all who wait; nobody waits any more.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until there are changes after a position, the store is closed or the task is cancelled.
    func wait(after token: SyncToken) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard !Task.isCancelled, !state.isClosed, state.last <= token else { return true }
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
