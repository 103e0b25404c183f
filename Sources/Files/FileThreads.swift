import NIOPosix

/// The threads for calls that may wait for a disk: they must not hold up the threads that Swift's tasks share.
public enum FileThreads {
    /// Runs a blocking body on one of the threads, and returns what it returns.
    ///
    /// A body that has been accepted runs to its end: cancelling the task does not stop it.
    ///
    /// - Throws: What the body throws.
    public static func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            // The pool is the process's own and never shut down, so its state says nothing.
            NIOThreadPool.singleton.submit { _ in continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }
}
