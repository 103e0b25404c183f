/// An engine that reports damage to ``TreeHealth``. Damage of the store makes it refuse all later writes.
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

    /// Records an error of a call. The first damaged row may be caused by a damaged page, so the structure is checked
    /// too.
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
