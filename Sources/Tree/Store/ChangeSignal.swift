/// Wakes those who wait for the next committed change.
final class ChangeSignal: Sendable {
    private struct State {
        var last = SyncToken.start
        var isClosed = false
    }

    private let state = WatchedValue(State())

    /// Tells that all changes up to a position can be read.
    func advance(to token: SyncToken) {
        state.change { $0.last = max($0.last, token) }
    }

    /// Wakes all who wait; nobody waits any more.
    func close() {
        state.change { $0.isClosed = true }
    }

    /// Waits until there are changes after a position, the store is closed or the task is cancelled.
    func wait(after token: SyncToken) async {
        await state.wait { $0.isClosed || $0.last > token }
    }
}
