package import API
import ServiceLifecycle
import Synchronization
import Tree
package import TreeModel

/// A pause of the intake: its reason, and the time at which it began.
package struct IntakePause: Error, Sendable {
    /// The reason for programs: `disk_full`, `read_only`, `permission`, `io`, `too_many_open_files`, `storage_missing`,
    /// `storage_locked`, or another code of the tree.
    package let code: ErrorCode
    /// The reason for people; it names no file, because anonymous clients may see it.
    package let message: String
    package let hint: String
    /// The time at which the pause began.
    package fileprivate(set) var since: Timestamp

    package init(code: ErrorCode, message: String, hint: String) {
        self.code = code
        self.message = message
        self.hint = hint
        since = WallClock.now()
    }
}

/// The state of the intake: open, or paused with a reason. While it is paused, no new uploads are accepted, and no work
/// that writes is started.
///
/// The gate only holds the state; `DiskMonitor` decides. The ways in check it before they accept anything, and workers
/// wait at it.
package final class IntakeGate: Sendable {
    private struct Waiting {
        let isForPause: Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var pause: IntakePause?
        var waiting: [Int: Waiting] = [:]
        var lastNumber = 0

        mutating func takeWaiting(forPause isForPause: Bool) -> [Waiting] {
            let due = waiting.filter { $0.value.isForPause == isForPause }
            for number in due.keys { waiting[number] = nil }
            return Array(due.values)
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// The pause; nil while the gate is open.
    package var pause: IntakePause? { state.withLock { $0.pause } }

    /// Checks that the gate is open.
    ///
    /// - Throws: `IntakePause` while the intake is paused.
    package func check() throws(IntakePause) {
        if let pause { throw pause }
    }

    /// Opens the gate, or pauses the intake; a pause that continues for another reason keeps its beginning.
    ///
    /// - Returns: The state before; nil for open.
    @discardableResult
    package func set(_ pause: IntakePause?) -> IntakePause? {
        let (old, due) = state.withLock { state in
            let old = state.pause
            state.pause = pause
            if let old { state.pause?.since = old.since }
            return (old, state.takeWaiting(forPause: pause != nil))
        }
        for waiting in due { waiting.continuation.resume() }
        return old
    }

    /// Waits until the gate is open, the task is cancelled, or the service shuts down.
    package func waitUntilOpen() async { await wait(forPause: false) }

    /// Waits until the intake is paused, the task is cancelled, or the service shuts down.
    package func waitUntilPaused() async { await wait(forPause: true) }

    private func wait(forPause isForPause: Bool) async {
        guard (pause != nil) != isForPause else { return }
        await cancelWhenGracefulShutdown {
            let number = self.state.withLock { state in
                state.lastNumber += 1
                return state.lastNumber
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isOver = self.state.withLock { state in
                        if (state.pause != nil) == isForPause || Task.isCancelled { return true }
                        state.waiting[number] = Waiting(isForPause: isForPause, continuation: continuation)
                        return false
                    }
                    if isOver { return continuation.resume() }
                    // The continuation is resumed by the code that removes it from the list: this, the handler below,
                    // or the gate.
                    if Task.isCancelled { self.letGo(number) }
                }
            } onCancel: {
                self.letGo(number)
            }
        }
    }

    private func letGo(_ number: Int) {
        let waiting = state.withLock { $0.waiting.removeValue(forKey: number) }
        waiting?.continuation.resume()
    }
}
