/// An engine under the eyes of ``TreeHealth``: damage that any call meets is noted; that of the store refuses writes from then on.
final class GuardedEngine: Engine {
    private let base: any Engine
    private let health: TreeHealth

    init(_ base: any Engine, health: TreeHealth) {
        self.base = base
        self.health = health
    }

    func read<Result: Sendable>(
        _ size: ReadSize, _ body: @Sendable (any EngineSnapshot) throws(TreeError) -> Result
    ) async throws(TreeError) -> Result {
        do {
            return try await base.read(size, body)
        } catch {
            await note(error)
            throw error
        }
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any EngineTransaction) throws(TreeError) -> Result,
        committed: @escaping @Sendable (Result) -> Void
    ) async throws(TreeError) -> Result {
        try health.check()
        do {
            return try await base.write(body, committed: committed)
        } catch {
            await note(error)
            throw error
        }
    }

    /// Notes what a call has met. The first row that is damaged may be a sign of a page that is: then it is not the row alone.
    private func note(_ error: TreeError) async {
        guard health.note(error) else { return }
        do {
            try await base.checkStructure()
        } catch {
            health.note(error)
        }
    }

    var fault: TreeError? { health.damage ?? base.fault }
    var logBytes: Int { base.logBytes }

    func probe() async throws(TreeError) {
        try health.check()
        do {
            try await base.probe()
        } catch {
            await note(error)
            throw error
        }
    }

    func checkStructure() async throws(TreeError) {
        do {
            try await base.checkStructure()
        } catch {
            health.note(error)
            throw error
        }
    }

    func close() async { await base.close() }
}
