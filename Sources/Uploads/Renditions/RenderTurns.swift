import Concurrency
import Tree

/// Who has a turn at the renderers, and who waits for one: the rules of ``RenderScheduler``, which has the threads.
///
/// A photo that somebody looks at comes before those that wait in the queue. Batches have a lane of their own beside these,
/// where there is a renderer for it. They give way there: none begins while uploads are rendered, nor for ``quietTime`` after
/// one has begun or was rendered, but for one each ``patience``, so that a batch gets to its end however many uploads come.
/// Where batches have no lane of their own, they come last, and one that waits has a turn after every ``sharedInterval``
/// others, since it may hold what others wait for. Among photos of one priority users take turns, a photo each.
struct RenderTurns<Waiting: Sendable & Identifiable>: Sendable {
    typealias Priority = RenderScheduler.Priority
    typealias Instant = ContinuousClock.Instant

    /// How many turns others have in a row while a batch waits that shares their lane.
    static var sharedInterval: Int { 16 }
    /// How long batches wait for the next upload.
    static var quietTime: Duration { .milliseconds(100) }
    /// How long batches give way in a row: of uploads that take 20 ms each and come one upon the other, one in 250 meets a batch.
    static var patience: Duration { .seconds(5) }

    private let workers: Int
    private let hasBackground: Bool
    private var lines = Priority.allCases.map { _ in FairLine<String, Waiting>() }
    /// How many turns are free; and how many of those that are for batches alone.
    private var free: Int
    private var freeForBatches: Int
    /// How many turns others have had in a row while a batch waits that shares their lane.
    private var turnsSinceBatch = 0
    /// When an upload last began, or was rendered.
    private var lastUpload: Instant?
    /// When a batch last had a turn.
    private var lastBatch: Instant?

    init(workers: Int, hasBackground: Bool) {
        (self.workers, self.hasBackground) = (workers, hasBackground)
        (free, freeForBatches) = (workers, hasBackground ? workers : 0)
    }

    /// How many photos wait for their turn.
    var waitingCount: Int { lines.reduce(0) { $0 + $1.count } }

    /// Whether the lane of the batches has nothing to do.
    var isBackgroundIdle: Bool { hasBackground && freeForBatches == workers && batchCount == 0 }

    /// Whether a batch waits although there is a turn for it.
    var isHoldingBack: Bool { freeForBatches > 0 && batchCount > 0 }

    private var batchCount: Int { lines[Priority.batch.rawValue].count }

    private func isGivingWay(at now: Instant) -> Bool {
        let isBusy = free < workers || lastUpload.map { now < $0 + Self.quietTime } ?? false
        return isBusy && lastBatch.map { now < $0 + Self.patience } ?? false
    }

    /// Takes a turn that is free; false when whoever asks has to wait.
    mutating func take(_ priority: Priority, at now: Instant) -> Bool {
        if hasBackground, priority == .batch {
            guard freeForBatches > 0, batchCount == 0, !isGivingWay(at: now) else { return false }
            freeForBatches -= 1
            lastBatch = now
        } else {
            guard free > 0 else { return false }
            free -= 1
        }
        return true
    }

    /// Has batches give way to an upload that begins to come in, and is rendered soon.
    mutating func expectUpload(at now: Instant) { lastUpload = now }

    mutating func wait(_ waiting: Waiting, _ priority: Priority, of user: String) {
        lines[priority.rawValue].append(waiting, of: user)
    }

    /// Takes somebody out of the line; nil for one who is not in it any more.
    mutating func remove(_ id: Waiting.ID, _ priority: Priority, of user: String) -> Waiting? {
        lines[priority.rawValue].remove(of: user) { $0.id == id }
    }

    /// Ends a turn.
    ///
    /// - Returns: Those who have one now.
    mutating func end(_ priority: Priority, at now: Instant) -> [Waiting] {
        if hasBackground, priority == .batch {
            freeForBatches += 1
            return popBatches(at: now)
        }
        free += 1
        lastUpload = now
        guard let next = popNext() else { return [] }
        free -= 1
        return [next]
    }

    /// Gives the batches that wait the turns that are free, unless they give way.
    mutating func popBatches(at now: Instant) -> [Waiting] {
        var next: [Waiting] = []
        while isHoldingBack, !isGivingWay(at: now), let batch = lines[Priority.batch.rawValue].popFirst() {
            freeForBatches -= 1
            lastBatch = now
            next.append(batch)
        }
        return next
    }

    /// Takes whose turn is next in the lane of all, or of all but batches, out of its line.
    private mutating func popNext() -> Waiting? {
        if !hasBackground {
            let isDue = turnsSinceBatch >= Self.sharedInterval
            turnsSinceBatch = batchCount > 0 && !isDue ? turnsSinceBatch + 1 : 0
            if isDue, let batch = lines[Priority.batch.rawValue].popFirst() { return batch }
        }
        for priority in Priority.allCases where !hasBackground || priority != .batch {
            if let next = lines[priority.rawValue].popFirst() { return next }
        }
        return nil
    }
}
