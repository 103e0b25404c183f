package import ServiceLifecycle

/// Runs a test's body beside services, and shuts these down as SIGTERM would, whatever has become of the body.
///
/// - Parameter onEnd: Is called when the services have ended.
/// - Throws: Why a service ended; else what the body throws.
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
