import Synchronization

/// A task that waits in a line for its turn, and leaves the line when it is cancelled. The line belongs to the caller,
/// which protects it with a lock.
package struct Waiter: Sendable, Identifiable {
    private static let lastID = Atomic<UInt64>(0)

    package let id: UInt64
    private let continuation: CheckedContinuation<Bool, Never>

    /// Waits until ``finish(_:)`` is called.
    ///
    /// - Parameters:
    ///   - enter: Returns the result if there is no need to wait, or puts the waiter into the line and returns nil. It
    ///     must check `Task.isCancelled` under the line's lock: a task that was already cancelled is not removed from
    ///     the line later.
    ///   - leave: Removes the waiter from the line; returns nil when it is not there.
    /// - Returns: The result; false when the task was cancelled while it waited.
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

    /// Resumes a waiter that has left the line.
    package func finish(_ hasTurn: Bool) { continuation.resume(returning: hasTurn) }
}
