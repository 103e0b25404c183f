import Concurrency
import Tree

/// The rules of turns at the renderers, for ``RenderScheduler``, which has the threads.
///
/// Interactive photos come before those in the queue. Batches have a lane of their own if there is a renderer for it.
/// They give way there: no batch starts while uploads are rendered, nor for ``quietTime`` after one has begun or was
/// rendered, except for one photo every ``patience``, so that a batch finishes however many uploads arrive. If batches
/// have no lane of their own, they come last, and a waiting batch has a turn after every ``sharedInterval`` others,
/// because it may hold resources that others wait for. Among photos of one priority, users take turns, one photo each.
struct RenderTurns<Waiting: Sendable & Identifiable>: Sendable {
    typealias Priority = RenderScheduler.Priority
    typealias Instant = ContinuousClock.Instant

    /// The number of other turns in a row while a batch waits in the shared lane.
    static var sharedInterval: Int { 16 }
    /// The time that batches wait for the next upload.
    static var quietTime: Duration { .milliseconds(100) }
    /// The longest time for which batches give way: with back-to-back uploads of 20 ms each, one in 250 meets a batch.
    static var patience: Duration { .seconds(5) }

    private let workers: Int
    private let hasBackground: Bool
    private var lines = Priority.allCases.map { _ in FairLine<String, Waiting>() }
    /// The number of free turns; below, the number of free turns for batches alone.
    private var free: Int
    private var freeForBatches: Int
    /// The number of other turns in a row while a batch has waited in the shared lane.
    private var turnsSinceBatch = 0
    /// The time at which an upload last began or was rendered.
    private var lastUpload: Instant?
    /// The time of the last turn of a batch.
    private var lastBatch: Instant?

    init(workers: Int, hasBackground: Bool) {
        (self.workers, self.hasBackground) = (workers, hasBackground)
        (free, freeForBatches) = (workers, hasBackground ? workers : 0)
    }

    /// The number of photos that wait for their turn.
    var waitingCount: Int { lines.reduce(0) { $0 + $1.count } }

    /// Whether the lane of batches is idle.
    var isBackgroundIdle: Bool { hasBackground && freeForBatches == workers && batchCount == 0 }

    /// Whether a batch waits although a turn is free for it.
    var isHoldingBack: Bool { freeForBatches > 0 && batchCount > 0 }

    private var batchCount: Int { lines[Priority.batch.rawValue].count }

    private func isGivingWay(at now: Instant) -> Bool {
        let isBusy = free < workers || lastUpload.map { now < $0 + Self.quietTime } ?? false
        return isBusy && lastBatch.map { now < $0 + Self.patience } ?? false
    }

    /// Takes a free turn; false if the caller must wait.
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

    /// Makes batches give way to an upload whose bytes begin to arrive and that is rendered soon.
    mutating func expectUpload(at now: Instant) { lastUpload = now }

    mutating func wait(_ waiting: Waiting, _ priority: Priority, of user: String) {
        lines[priority.rawValue].append(waiting, of: user)
    }

    /// Removes an entry from the queue; nil if it is no longer there.
    mutating func remove(_ id: Waiting.ID, _ priority: Priority, of user: String) -> Waiting? {
        lines[priority.rawValue].remove(of: user) { $0.id == id }
    }

    /// Ends a turn.
    ///
    /// - Returns: The entries whose turn begins now.
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

    /// Gives free turns to waiting batches, unless they give way.
    mutating func popBatches(at now: Instant) -> [Waiting] {
        var next: [Waiting] = []
        while isHoldingBack, !isGivingWay(at: now), let batch = lines[Priority.batch.rawValue].popFirst() {
            freeForBatches -= 1
            lastBatch = now
            next.append(batch)
        }
        return next
    }

    /// Removes the next entry from the main lane, which excludes batches if they have their own.
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
