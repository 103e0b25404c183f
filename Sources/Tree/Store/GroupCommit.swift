import CoreMetrics
import Synchronization

/// Lets concurrent updates share one transaction, and one fsync, each atomic on its own.
///
/// The first update to come leads: it asks for a transaction, and when that begins it takes along all that have come by
/// then. From that moment on the next to come leads, so that the engine finds the next transaction waiting when it ends
/// one. No task is needed beside the callers', and an update alone never waits.
///
/// (Group commit: DeWitt et al., "Implementation Techniques for Main Memory Database Systems", SIGMOD 1984; leading by
/// turns as in LevelDB's writer queue.)
final class GroupCommit: Sendable {
    typealias Answer = Result<CommitReceipt, TreeError>
    /// Applies a group, for which it asks when its transaction begins; answers in the order of the group, or throws for
    /// all of it. Transactions come one at a time.
    typealias Apply =
        @Sendable (_ takeGroup: @escaping @Sendable () -> [EncodedUpdate]) async throws(TreeError) -> [Answer]

    /// The most updates, and about the most bytes, that share a transaction.
    static let maxUpdates = 512
    static let maxBytes = 32 << 20

    private enum Turn: Sendable {
        case lead
        case answered(Answer)
    }

    private struct Waiting {
        let update: EncodedUpdate
        let arrival: ContinuousClock.Instant
        let continuation: CheckedContinuation<Turn, Never>
    }

    /// The updates of a transaction: the leader's, and the followers' once they have been taken.
    private final class Group: Sendable {
        let leader: EncodedUpdate
        let arrival: ContinuousClock.Instant
        let followers = Mutex<[Waiting]?>(nil)

        init(leader: EncodedUpdate, arrival: ContinuousClock.Instant) {
            self.leader = leader
            self.arrival = arrival
        }
    }

    private struct State {
        var isLed = false
        var isClosed = false
        var waiting: [Waiting] = []
        var unansweredCount = 0
        var waitingForEnd: [CheckedContinuation<Void, Never>] = []
    }

    private let apply: Apply
    private let metrics: CommitMetrics
    private let state = Mutex(State())

    init(metrics: CommitMetrics = CommitMetrics(NOOPMetricsHandler.instance), apply: @escaping Apply) {
        self.metrics = metrics
        self.apply = apply
    }

    /// Commits an update; it is durable, and subscribers know, when this returns.
    ///
    /// - Throws: The update's own failure, or the engine's, which all of its group share, unless it is a damaged row.
    func commit(_ update: EncodedUpdate) async throws(TreeError) -> CommitReceipt {
        guard begin() else { throw .closed }
        defer { end() }
        let arrival = ContinuousClock.now
        switch await waitForTurn(update, since: arrival) {
        case .answered(let answer):
            return try answer.get()
        case .lead:
            let group = Group(leader: update, arrival: arrival)
            let answers = await answers(to: group)
            let followers = group.followers.withLock { $0 } ?? []
            for (follower, answer) in zip(followers, answers.dropFirst()) {
                follower.continuation.resume(returning: .answered(answer))
            }
            return try (answers.first ?? .failure(.closed)).get()
        }
    }

    /// The number of updates that wait for somebody to lead them.
    var waitingCount: Int { state.withLock { $0.waiting.count } }
    /// Whether updates are refused from now on.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Waits until all updates that came before are answered; those that come later are refused with `closed`.
    func close() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                state.isClosed = true
                if state.unansweredCount > 0 { state.waitingForEnd.append(continuation) }
                return state.unansweredCount == 0
            }
            if hasEnded { continuation.resume() }
        }
    }

    private func begin() -> Bool {
        state.withLock { state in
            if !state.isClosed { state.unansweredCount += 1 }
            return !state.isClosed
        }
    }

    private func end() {
        let waiting = state.withLock { state in
            state.unansweredCount -= 1
            return state.isClosed && state.unansweredCount == 0 ? state.waitingForEnd : []
        }
        for continuation in waiting { continuation.resume() }
    }

    private func waitForTurn(_ update: EncodedUpdate, since arrival: ContinuousClock.Instant) async -> Turn {
        await withCheckedContinuation { continuation in
            let leads = state.withLock { state in
                if state.isLed {
                    state.waiting.append(Waiting(update: update, arrival: arrival, continuation: continuation))
                }
                defer { state.isLed = true }
                return !state.isLed
            }
            if leads { continuation.resume(returning: .lead) }
        }
    }

    private func answers(to group: Group) async -> [Answer] {
        do {
            return try await apply { self.take(group) }
        } catch {
            // When no transaction has begun, the next would not either.
            let updates = take(group)
            guard error.isDamageOfPlace || error.isRefusal, updates.count > 1 else {
                return updates.map { _ in .failure(error) }
            }
            // Only one of them need have met the damaged row, or was to replace one and is refused.
            var answers: [Answer] = []
            for update in updates { answers.append(await answer(to: update)) }
            return answers
        }
    }

    /// The answer to an update that has a transaction of its own.
    private func answer(to update: EncodedUpdate) async -> Answer {
        do {
            return try await apply { [update] }.first ?? .failure(.closed)
        } catch {
            return .failure(error)
        }
    }

    /// The updates of a group, which is complete from the first call on; then another one leads the next.
    private func take(_ group: Group) -> [EncodedUpdate] {
        let followers = group.followers.withLock { followers in
            if let followers { return followers }
            let taken = takeFollowers(of: group.leader)
            followers = taken
            metrics.begin([group.arrival] + taken.map(\.arrival))
            return taken
        }
        return [group.leader] + followers.map(\.update)
    }

    private func takeFollowers(of update: EncodedUpdate) -> [Waiting] {
        let (followers, next) = state.withLock { state in
            var byteCount = update.byteCount
            let followers = state.waiting.prefix(Self.maxUpdates - 1).prefix { waiting in
                byteCount += waiting.update.byteCount
                return byteCount <= Self.maxBytes
            }
            let next = state.waiting.dropFirst(followers.count).first
            state.waiting.removeFirst(followers.count + (next == nil ? 0 : 1))
            state.isLed = next != nil
            return (Array(followers), next)
        }
        next?.continuation.resume(returning: .lead)
        return followers
    }
}
