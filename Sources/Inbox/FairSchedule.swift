import DequeModule

/// The order in which the inbox is read. Users take turns, one file each: ten thousand files of one user delay others
/// only by the file in progress.
struct FairSchedule {
    /// The pending work in one root.
    private struct Work {
        /// The names from the kernel's events, in reverse order: new files precede the walk through old ones.
        var names: [InboxEvents.Name] = []
        var walk: InboxWalk?
        var wantsWalk = false
    }

    /// One step in one root.
    enum Step {
        case look(at: InboxEvents.Name)
        case walk(InboxWalk)
    }

    /// The largest number of file names in memory, for all users together; it determines the length of pages.
    private static let maxPagedNames = 1 << 16
    /// The inverse of the share of time that walks may use.
    private static let share = 20

    private var work: [InboxFolder.Root: Work] = [:]
    /// The times before which expensive walks are not repeated.
    private var rests: [InboxFolder.Root: ContinuousClock.Instant] = [:]
    private var queue: Deque<InboxFolder.Root> = []
    /// The number of names from events that have not been looked at yet.
    private(set) var nameCount = 0
    /// The time at which the last walk through the whole inbox began; nil if one is due.
    private var roundBegan: ContinuousClock.Instant?
    /// The time that the walks of this round have used.
    private var cost: Duration = .zero

    /// Adds events from the kernel.
    mutating func add(_ news: InboxEvents.News) {
        for (root, names) in Dictionary(grouping: news.names, by: \.folder.root) {
            nameCount += names.count
            enqueue(root) { work in
                work.names = (work.names + names).sorted {
                    $1.folder.description(of: $1.text) < $0.folder.description(of: $0.text)
                }
            }
        }
        for root in news.walks { walk(through: root) }
        if news.isIncomplete { roundBegan = nil }
    }

    /// Schedules a walk through a root, after the walk that may be in progress.
    mutating func walk(through root: InboxFolder.Root) {
        enqueue(root) { $0.wantsWalk = true }
    }

    /// Begins a walk through the whole inbox if one is due: after the interval, extended so that walks use a small
    /// share of the time in a large inbox; at once if events were lost.
    mutating func beginRound(every interval: Duration, atMost longest: Duration) {
        guard work[.inbox]?.walk == nil else { return }
        if let roundBegan, .now - roundBegan < max(interval, min(longest, cost * Self.share)) { return }
        roundBegan = .now
        cost = .zero
        walk(through: .inbox)
    }

    /// Returns the next step, in the turns of the roots. The caller reports the progress of a walk with `went`.
    ///
    /// - Parameter isFull: Returns whether nothing can be claimed from a root now; it keeps its position in the order.
    mutating func next(
        unless isFull: (InboxFolder.Root) -> Bool = { _ in false }
    ) -> (root: InboxFolder.Root, step: Step)? {
        for _ in 0..<queue.count {
            guard let root = queue.popFirst(), var mine = work[root] else { continue }
            guard !isFull(root) else {
                queue.append(root)
                continue
            }
            if let name = mine.names.popLast() {
                nameCount -= 1
                work[root] = mine
                queue.append(root)
                return (root, .look(at: name))
            }
            if mine.walk == nil, mine.wantsWalk {
                if let rest = rests[root], rest > .now {
                    queue.append(root)
                    continue
                }
                rests[root] = nil
                mine.wantsWalk = false
                mine.walk = InboxWalk(root, pageLength: max(16, Self.maxPagedNames / max(1, queue.count + 1)))
            }
            guard let walk = mine.walk else {
                work[root] = nil
                continue
            }
            work[root] = mine
            queue.append(root)
            return (root, .walk(walk))
        }
        return nil
    }

    /// Records the progress and the duration of a walk; nil for a finished walk.
    mutating func went(_ walk: InboxWalk?, of root: InboxFolder.Root, in time: Duration) {
        cost += time
        work[root]?.walk = walk
        if walk == nil, time > .milliseconds(20) { rests[root] = .now + time * Self.share }
    }

    /// Drops the pending work in a root, until the next walk through the whole inbox.
    mutating func giveUp(_ root: InboxFolder.Root) {
        nameCount -= work[root]?.names.count ?? 0
        work[root]?.names = []
        work[root]?.walk = nil
        work[root]?.wantsWalk = false
    }

    private mutating func enqueue(_ root: InboxFolder.Root, change: (inout Work) -> Void) {
        if work[root] == nil {
            work[root] = Work()
            queue.append(root)
        }
        if var mine = work[root] {
            change(&mine)
            work[root] = mine
        }
    }
}
