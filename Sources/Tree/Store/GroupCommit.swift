import CoreMetrics
import Synchronization

/// Commits concurrent updates in one transaction, with one fsync; each update stays atomic.
///
/// The first update becomes the leader and requests a transaction. When the transaction begins, it includes all updates
/// that have arrived by then. The next update then becomes the leader of the next transaction, so that the engine has a
/// waiting transaction when it ends the current one. No tasks other than the callers' are needed, and a single update
/// never waits.
///
/// (Group commit: DeWitt et al., "Implementation Techniques for Main Memory Database Systems", SIGMOD 1984; leading by
/// turns as in LevelDB's writer queue.)
final class GroupCommit: Sendable {
    typealias Answer = Result<CommitReceipt, TreeError>
    /// Applies a group and returns the answers in its order, or throws for the whole group. It requests the group when
    /// its transaction begins. Transactions run one at a time.
    typealias Apply =
        @Sendable (_ takeGroup: @escaping @Sendable () -> [EncodedUpdate]) async throws(TreeError) -> [Answer]

    /// The largest number of updates in a transaction, and their approximate largest size in bytes.
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

    /// The updates of a transaction: the leader's, and the followers' once the group is complete.
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

    /// Commits an update. When this returns, the update is durable and has been published to subscribers.
    ///
    /// - Throws: The update's own failure, or the engine's. An engine failure applies to the whole group, unless it is
    ///   a damaged row.
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

    /// The number of updates that wait for a leader.
    var waitingCount: Int { state.withLock { $0.waiting.count } }
    /// Whether updates are refused from now on.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Refuses new updates with `closed`, and waits until all earlier ones are answered.
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
            // If no transaction has begun, this completes the group. Its followers get the error too, because a
            // transaction of their own could not begin either.
            let updates = take(group)
            guard error.isDamageOfPlace || error.isRefusal, updates.count > 1 else {
                return updates.map { _ in .failure(error) }
            }
            // Only one update may have met the damaged row, or been refused when replacing one: each is tried alone.
            var answers: [Answer] = []
            for update in updates { answers.append(await answer(to: update)) }
            return answers
        }
    }

    /// Applies an update in a transaction of its own.
    private func answer(to update: EncodedUpdate) async -> Answer {
        do {
            return try await apply { [update] }.first ?? .failure(.closed)
        } catch {
            return .failure(error)
        }
    }

    /// Returns the updates of a group. The first call completes the group and makes another update lead the next group.
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
