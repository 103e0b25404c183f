/// Counts of what a store has committed.
public struct TreeStatistics: Hashable, Sendable {
    /// Updates that were applied.
    public internal(set) var updates = 0
    /// Transactions that applied them, each with one fsync.
    public internal(set) var transactions = 0
    /// The most updates that one transaction applied.
    public internal(set) var largestGroup = 0
}
