/// The time limit of a whole exchange with another machine.
enum TimeLimit {
    struct Exceeded: Error {}

    /// Runs a body, and cancels it if it takes longer than the limit.
    ///
    /// - Throws: ``Exceeded``, or the errors of the body.
    static func run<R: Sendable>(
        _ time: Duration, _ body: @escaping @Sendable () async throws -> R
    ) async throws -> R {
        try await withThrowingTaskGroup(of: R.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: time)
                throw Exceeded()
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }
}
