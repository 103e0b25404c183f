/// The client for which a task reads: the rows that its reads go over are counted, and where reads wait, clients take turns,
/// a read each.
package struct ReadingClient: Sendable {
    /// The client for which the current task reads; nil for the service itself, and for whoever has no limits.
    @TaskLocal static var current: ReadingClient?

    /// The listeners of queries, whose windows are read again when others have written: that counts to nobody.
    static let listeners = ReadingClient(named: "listeners") { _ in }

    /// The name by which its reads are told from those of others.
    let name: String
    /// Is told of each read how many rows it went over.
    let count: @Sendable (Int) -> Void

    package init(named name: String, counting count: @escaping @Sendable (Int) -> Void) {
        self.name = name
        self.count = count
    }

    /// The same client, whose reads have the turns of the listeners.
    var amongListeners: ReadingClient { ReadingClient(named: Self.listeners.name, counting: count) }

    /// Does work whose reads are a client's; for nil they are of the one for which the task reads already.
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
