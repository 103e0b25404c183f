/// Counts of what a store has committed.
public struct TreeStatistics: Hashable, Sendable {
    /// The number of updates that were applied.
    public internal(set) var updates = 0
    /// The number of transactions that applied them, each with one fsync.
    public internal(set) var transactions = 0
    /// The largest number of updates in one transaction.
    public internal(set) var largestGroup = 0
}
