import UnixSignals

/// Work that reports its steps, and that Ctrl-C ends.
enum Interruptible {
    /// Returns the steps of the work, in their order. The stream throws `CancellationError` on SIGINT and SIGTERM.
    ///
    /// - Parameter work: Does the work, and reports each step.
    static func stream<Step: Sendable>(
        _ work: @escaping @Sendable (_ report: @escaping @Sendable (Step) -> Void) async throws -> Void
    ) -> AsyncThrowingStream<Step, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    try await work { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            let interruption = Task {
                for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { task.cancel() }
            }
            continuation.onTermination = { _ in
                task.cancel()
                interruption.cancel()
            }
        }
    }
}
