import Synchronization

/// Lets concurrent updates share one transaction, and one fsync, each atomic on its own.
///
/// The first update to come leads: it commits itself together with those that wait. Updates that come while a
/// transaction runs wait for the next one, which the first of them leads. So no task is needed beside the callers', an
/// update alone never waits, and no caller leads for longer than one transaction.
///
/// (Group commit: DeWitt et al., "Implementation Techniques for Main Memory Database Systems", SIGMOD 1984; handing the
/// lead on as in LevelDB's writer queue.)
final class GroupCommit: Sendable {
    typealias Answer = Result<CommitReceipt, TreeError>
    /// Applies a group in one transaction; answers in the order of the group, or throws for all of it.
    typealias Apply = @Sendable ([EncodedUpdate]) async throws(TreeError) -> [Answer]

    /// The most updates, and about the most bytes, that share a transaction.
    static let maxUpdates = 512
    static let maxBytes = 32 << 20

    private enum Turn: Sendable {
        case lead
        case answered(Answer)
    }

    private struct Waiting {
        /// Nil for a close that waits for the updates before it.
        let update: EncodedUpdate?
        let continuation: CheckedContinuation<Turn, Never>
    }

    private struct State {
        var isLed = false
        var isClosed = false
        var waiting: [Waiting] = []
    }

    private let apply: Apply
    private let state = Mutex(State())

    init(apply: @escaping Apply) { self.apply = apply }

    /// Commits an update; it is durable, and subscribers know, when this returns.
    ///
    /// - Throws: The update's own failure, or the engine's, which all of its group share.
    func commit(_ update: EncodedUpdate) async throws(TreeError) -> CommitReceipt {
        switch await waitForTurn(update) {
        case .answered(let answer):
            return try answer.get()
        case .lead:
            let followers = takeFollowers(of: update)
            let answers = await answers(to: [update] + followers.compactMap(\.update))
            for (follower, answer) in zip(followers, answers.dropFirst()) {
                follower.continuation.resume(returning: .answered(answer))
            }
            passOnLead()
            return try (answers.first ?? .failure(.closed)).get()
        }
    }

    /// How many updates wait for the next transaction.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Waits until all updates that came before are answered; those that come later are refused with `closed`.
    func close() async {
        guard !state.withLock({ state in exchange(&state.isClosed, true) }) else { return }
        guard case .lead = await waitForTurn(nil) else { return }
        passOnLead()
    }

    private func waitForTurn(_ update: EncodedUpdate?) async -> Turn {
        await withCheckedContinuation { continuation in
            let turn: Turn? = state.withLock { state in
                if state.isClosed, update != nil { return .answered(.failure(.closed)) }
                if !exchange(&state.isLed, true) { return .lead }
                state.waiting.append(Waiting(update: update, continuation: continuation))
                return nil
            }
            if let turn { continuation.resume(returning: turn) }
        }
    }

    private func takeFollowers(of update: EncodedUpdate) -> [Waiting] {
        state.withLock { state in
            var byteCount = update.byteCount
            let followers = state.waiting.prefix(Self.maxUpdates - 1).prefix { waiting in
                byteCount += waiting.update?.byteCount ?? 0
                return waiting.update != nil && byteCount <= Self.maxBytes
            }
            state.waiting.removeFirst(followers.count)
            return Array(followers)
        }
    }

    private func answers(to group: [EncodedUpdate]) async -> [Answer] {
        do {
            return try await apply(group)
        } catch {
            return group.map { _ in .failure(error) }
        }
    }

    private func passOnLead() {
        let next: Waiting? = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isLed = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.continuation.resume(returning: .lead)
    }
}

private func exchange<Value>(_ place: inout Value, _ new: Value) -> Value {
    defer { place = new }
    return place
}
