import NIOPosix

/// The threads for calls that may block on a disk, so that they do not block the threads that Swift's tasks share.
public enum FileThreads {
    /// Runs a blocking body on one of the threads, and returns what it returns.
    ///
    /// A body that has been submitted runs to its end; cancelling the task does not stop it.
    ///
    /// - Throws: The body's error.
    public static func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            // The pool is global and never shut down, so its state need not be checked.
            NIOThreadPool.singleton.submit { _ in continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }
}
