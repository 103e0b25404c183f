/// Lets one task at a time do something that waits in between, in the order of their requests. A cancelled task waits for
/// its turn, too: turns are short.
final class Turns: Sendable {
    private let state = TurnState()

    func take<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        await state.begin()
        do {
            let result = try await body()
            await state.end()
            return result
        } catch {
            await state.end()
            throw error
        }
    }
}

private actor TurnState {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func begin() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func end() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
}
