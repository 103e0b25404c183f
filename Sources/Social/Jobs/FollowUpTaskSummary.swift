package import Tree
package import TreeModel

/// The numbers of pending follow-up tasks.
package struct FollowUpTaskSummary: Sendable, Hashable {
    /// The largest number of follow-up tasks that are counted.
    private static let maxCount = 10_000

    /// The number of pending tasks; ``maxCount`` also stands for more.
    package private(set) var waiting = 0
    /// The number of pending tasks that have failed and will be retried.
    package private(set) var failing = 0
    /// The time of the oldest cause.
    package private(set) var since = Timestamp.max

    /// Counts the follow-up tasks; nil if there are none.
    package init?(in snapshot: TreeSnapshot) throws(TreeError) {
        for kind in FollowUpTaskKind.allCases {
            for record in try snapshot.children(of: kind.path, limit: Self.maxCount - waiting) {
                let task = PendingFollowUpTask(kind, record)
                waiting += 1
                failing += task.attempts > 0 ? 1 : 0
                since = min(since, task.since)
            }
        }
        guard waiting > 0 else { return nil }
    }
}
