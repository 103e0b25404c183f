package import ServiceLifecycle

/// Runs a test's body beside services, and shuts these down like SIGTERM, even when the body throws.
///
/// - Parameter onEnd: A function that is called when the services have ended.
/// - Throws: The error with which a service ended; otherwise the error of the body.
package func withServices<R: Sendable>(
    _ group: ServiceGroup, onEnd: @escaping @Sendable () -> Void = {}, _ body: () async throws -> R
) async throws -> R {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask {
            defer { onEnd() }
            try await group.run()
        }
        let result: Result<R, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
        return try result.get()
    }
}
