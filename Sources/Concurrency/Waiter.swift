import Synchronization

/// A task that waits in a line for its turn, and leaves the line when it is cancelled. The line belongs to the caller, who guards
/// it by a lock.
package struct Waiter: Sendable, Identifiable {
    private static let lastID = Atomic<UInt64>(0)

    package let id: UInt64
    private let continuation: CheckedContinuation<Bool, Never>

    /// Waits until ``finish(_:)`` is called.
    ///
    /// - Parameters:
    ///   - enter: Returns the answer where there is nothing to wait for, or nil after it has put the waiter into the line. It looks
    ///     at `Task.isCancelled` under the line's lock: a task that was cancelled before is not looked for in the line.
    ///   - leave: Takes the waiter out of the line; returns nil when it is not there.
    /// - Returns: The answer; false when the task was cancelled while it waited.
    package static func wait(enter: (Waiter) -> Bool?, leave: @Sendable (ID) -> Waiter?) async -> Bool {
        let id = lastID.add(1, ordering: .relaxed).newValue
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = enter(Waiter(id: id, continuation: continuation))
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            leave(id)?.finish(false)
        }
    }

    /// Ends the waiting of one that has left the line.
    package func finish(_ hasTurn: Bool) { continuation.resume(returning: hasTurn) }
}
