import DequeModule

/// Who has something in the inbox that is to be looked at. Users take turns, a file each: one who drops ten thousand makes
/// nobody wait for more than the one before.
struct FairSchedule {
    /// What is to be done for one user; for the empty name, in the inbox itself.
    private struct Work {
        /// Names that the kernel told of, the first one last: new files come before the walk through the old ones.
        var names: [InboxEvents.Name] = []
        var walk: InboxWalk?
        var wantsWalk = false
    }

    /// One step for one user.
    enum Step {
        case look(at: InboxEvents.Name)
        case walk(InboxWalk)
    }

    /// Names of files in memory, over all users: pages are as long as this allows.
    private static let maxPagedNames = 1 << 16
    /// A walk takes at most one part in so many of the time.
    private static let share = 20

    private var work: [String: Work] = [:]
    /// Until when a user's walk, which is dear, is not made again.
    private var rests: [String: ContinuousClock.Instant] = [:]
    private var queue: Deque<String> = []
    /// How many names that the kernel told of are not looked at yet.
    private(set) var nameCount = 0
    /// Since when there has been no walk through everything.
    private var roundBegan: ContinuousClock.Instant?
    /// What the walks of this round have cost.
    private var cost: Duration = .zero

    /// Adds what the kernel told.
    mutating func add(_ news: InboxEvents.News) {
        for (user, names) in Dictionary(grouping: news.names, by: \.user) {
            nameCount += names.count
            enqueue(user) { work in
                work.names = (work.names + names).sorted {
                    $1.path.joined(separator: "/") < $0.path.joined(separator: "/")
                }
            }
        }
        for user in news.folders { walk(through: user) }
        if news.isIncomplete { roundBegan = nil }
    }

    /// Has a user's folder walked through, once the walk that may be under way is over.
    mutating func walk(through user: String) {
        enqueue(user) { $0.wantsWalk = true }
    }

    /// Begins to walk through everything when it is time to: after the interval, but so that walks take a small share of
    /// the time, however long the inbox; and at once when something was forgotten.
    mutating func beginRound(every interval: Duration, atMost longest: Duration) {
        guard work[""]?.walk == nil else { return }
        if let roundBegan, .now - roundBegan < max(interval, min(longest, cost * Self.share)) { return }
        roundBegan = .now
        cost = .zero
        walk(through: "")
    }

    /// The next step, of whoever's turn it is; tell how it ended by `went` or `ended`.
    mutating func next() -> (user: String, step: Step)? {
        for _ in 0..<queue.count {
            guard let user = queue.popFirst(), var mine = work[user] else { continue }
            if let name = mine.names.popLast() {
                nameCount -= 1
                work[user] = mine
                queue.append(user)
                return (user, .look(at: name))
            }
            if mine.walk == nil, mine.wantsWalk {
                if let rest = rests[user], rest > .now {
                    queue.append(user)
                    continue
                }
                rests[user] = nil
                mine.wantsWalk = false
                mine.walk = InboxWalk(user, pageLength: max(16, Self.maxPagedNames / max(1, queue.count + 1)))
            }
            guard let walk = mine.walk else {
                work[user] = nil
                continue
            }
            work[user] = mine
            queue.append(user)
            return (user, .walk(walk))
        }
        return nil
    }

    /// Notes how far a walk went, and what that took; nil when it is over.
    mutating func went(_ walk: InboxWalk?, of user: String, in time: Duration) {
        cost += time
        work[user]?.walk = walk
        if walk == nil, time > .milliseconds(20) { rests[user] = .now + time * Self.share }
    }

    /// Forgets what was to be done for a user, until the next walk through everything.
    mutating func giveUp(_ user: String) {
        nameCount -= work[user]?.names.count ?? 0
        work[user]?.names = []
        work[user]?.walk = nil
        work[user]?.wantsWalk = false
    }

    private mutating func enqueue(_ user: String, change: (inout Work) -> Void) {
        if work[user] == nil {
            work[user] = Work()
            queue.append(user)
        }
        if var mine = work[user] {
            change(&mine)
            work[user] = mine
        }
    }
}
