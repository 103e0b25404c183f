import Synchronization

/// A pause of sweeps while files are copied: files that one state of the tree names must exist until they are copied.
package final class SweepPause: Sendable {
    private struct State {
        var pauses = 0
        var sweeps = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Whether sweeps are paused.
    package var isPaused: Bool { state.withLock { $0.pauses > 0 } }

    /// Runs a sweep, unless there is a pause; it is then left to the next one.
    package func sweep(_ body: () async throws -> Void) async rethrows {
        let mayBegin = state.withLock { state in
            if state.pauses == 0 { state.sweeps += 1 }
            return state.pauses == 0
        }
        guard mayBegin else { return }
        defer { end() }
        try await body()
    }

    private func end() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.sweeps -= 1
            guard state.sweeps == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for one in waiting { one.resume() }
    }

    /// Starts a pause, which ends when the ticket is released; returns when no sweep is running any longer.
    package func pause() async -> Ticket {
        state.withLock { $0.pauses += 1 }
        let ticket = Ticket(pause: self)
        await withCheckedContinuation { continuation in
            let isQuiet = state.withLock { state in
                if state.sweeps > 0 { state.waiting.append(continuation) }
                return state.sweeps == 0
            }
            if isQuiet { continuation.resume() }
        }
        return ticket
    }

    package final class Ticket: Sendable {
        private let pause: SweepPause

        fileprivate init(pause: SweepPause) { self.pause = pause }

        deinit { pause.state.withLock { $0.pauses -= 1 } }
    }
}
