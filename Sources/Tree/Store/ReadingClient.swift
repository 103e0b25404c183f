/// The client for which a task reads. The rows that its reads visit are counted. While reads wait, clients take turns,
/// one read each.
package struct ReadingClient: Sendable {
    /// The client for which the current task reads; nil for the service itself and for clients without limits.
    @TaskLocal static var current: ReadingClient?

    /// The client for query listeners, whose windows are read again after writes of others; these rows are not counted.
    static let listeners = ReadingClient(named: "listeners") { _ in }

    /// The name that distinguishes the client's reads from those of others.
    let name: String
    /// Receives the number of rows that a read visited.
    let count: @Sendable (Int) -> Void

    package init(named name: String, counting count: @escaping @Sendable (Int) -> Void) {
        self.name = name
        self.count = count
    }

    /// The same client, with its reads queued among those of the listeners.
    var amongListeners: ReadingClient { ReadingClient(named: Self.listeners.name, counting: count) }

    /// Runs a body whose reads belong to a client; if nil, they belong to the task's current client.
    package static func read<Value, Problem: Error>(
        for client: ReadingClient?, _ work: () async throws(Problem) -> Value
    ) async throws(Problem) -> Value {
        guard let client else { return try await work() }
        let result: Result<Value, Problem> = await $current.withValue(client) {
            do throws(Problem) {
                return .success(try await work())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
