package import Tree
package import TreeModel

/// What is left to do, in numbers.
package struct FollowUpTaskSummary: Sendable, Hashable {
    /// The most follow-up tasks that are counted.
    private static let maxCount = 10_000

    /// Jobs that are left to do; ``maxCount`` stands for more, too.
    package private(set) var waiting = 0
    /// Those of them that have failed, and are tried again.
    package private(set) var failing = 0
    /// When the oldest was caused.
    package private(set) var since = Timestamp.max

    /// Counts the follow-up tasks; nil when there are none.
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
