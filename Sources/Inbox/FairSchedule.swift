import DequeModule

/// The order in which the inbox is looked at. Users take turns, a file each: one who drops ten thousand makes
/// nobody wait for more than the one before.
struct FairSchedule {
    /// The work that is to be done in one root.
    private struct Work {
        /// Names that the kernel told of, the first one last: new files come before the walk through the old ones.
        var names: [InboxEvents.Name] = []
        var walk: InboxWalk?
        var wantsWalk = false
    }

    /// One step in one root.
    enum Step {
        case look(at: InboxEvents.Name)
        case walk(InboxWalk)
    }

    /// Names of files in memory, over all users: pages are as long as this allows.
    private static let maxPagedNames = 1 << 16
    /// A walk takes at most one part in so many of the time.
    private static let share = 20

    private var work: [InboxFolder.Root: Work] = [:]
    /// The time before which an expensive walk is not made again.
    private var rests: [InboxFolder.Root: ContinuousClock.Instant] = [:]
    private var queue: Deque<InboxFolder.Root> = []
    /// How many names that the kernel told of are not looked at yet.
    private(set) var nameCount = 0
    /// The time at which the last walk through everything began; nil when one is due.
    private var roundBegan: ContinuousClock.Instant?
    /// The time that the walks of this round have taken.
    private var cost: Duration = .zero

    /// Adds what the kernel told.
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

    /// Has a root walked through, once the walk that may be under way is over.
    mutating func walk(through root: InboxFolder.Root) {
        enqueue(root) { $0.wantsWalk = true }
    }

    /// Begins to walk through everything when it is time to: after the interval, but so that walks take a small share of
    /// the time, however long the inbox; and at once when something was forgotten.
    mutating func beginRound(every interval: Duration, atMost longest: Duration) {
        guard work[.inbox]?.walk == nil else { return }
        if let roundBegan, .now - roundBegan < max(interval, min(longest, cost * Self.share)) { return }
        roundBegan = .now
        cost = .zero
        walk(through: .inbox)
    }

    /// The next step, of whoever's turn it is; how far a walk went is told by `went`.
    ///
    /// - Parameter isFull: Whether nothing can be taken out of a root now: it keeps its place among the others.
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

    /// Notes how far a walk went, and what that took; nil when it is over.
    mutating func went(_ walk: InboxWalk?, of root: InboxFolder.Root, in time: Duration) {
        cost += time
        work[root]?.walk = walk
        if walk == nil, time > .milliseconds(20) { rests[root] = .now + time * Self.share }
    }

    /// Forgets what was to be done in a root, until the next walk through everything.
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
