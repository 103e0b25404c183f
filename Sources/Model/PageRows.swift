package import Tree

/// A record that a page skips because a client of the database wrote something else there.
package struct SkippedRecord: Sendable, Hashable {
    package let id: TreeKey
    /// The fault, such as "its timestamp is missing".
    package let fault: String

    package init(id: TreeKey, fault: String) {
        (self.id, self.fault) = (id, fault)
    }
}

/// The rows of a list that form a page: items up to a limit, and the skipped records between them. If many are skipped,
/// they are read in several states of the tree, so that none is held for long (``TreeStore/page(_:readOn:)``).
package struct PageRows<Item: Sendable, Position: Sendable>: Sendable {
    /// The meaning of a row.
    package enum Meaning {
        case item(Item)
        case skipped(SkippedRecord)
        /// A row whose record was deleted, or that the reader may not see.
        case hidden
        /// The first row after the list.
        case end
    }

    package private(set) var items: [Item] = []
    /// The records that were skipped; the first ones.
    package private(set) var skipped: [SkippedRecord] = []
    /// Whether items follow this page.
    package var hasMore = false
    /// The position of the last row that the page contains or has skipped.
    private var end: Position?
    /// The position in the change log of the first state that was read; a reader who follows the changes from there
    /// misses nothing.
    package private(set) var token: SyncToken?

    /// The position after which the next page begins; nil for the last page.
    package var next: Position? { hasMore ? end : nil }

    /// The largest number of skipped records that are named, so that a response stays small.
    package static var maxNamed: Int { 1000 }

    package init() {}

    /// Continues reading, in one state of the tree, until the page has `limit` items and it is clear whether more
    /// follow, or until the limit of one state is reached.
    ///
    /// - Parameters:
    ///   - batch: The number of rows that are read from one state, once rows are skipped.
    ///   - rows: Returns the next rows of the list after a position, at most the given number.
    ///   - position: Returns the position of a row; nil if it is not a row of this list.
    ///   - read: Returns the meaning of a row.
    /// - Returns: Whether the page is complete.
    package mutating func readOn<Row>(
        limit: Int, batch: Int = 200, from snapshot: TreeSnapshot,
        rows: (_ end: Position?, _ limit: Int) throws(TreeError) -> [Row],
        position: (Row) -> Position?, read: (Row) throws(TreeError) -> Meaning
    ) throws(TreeError) -> Bool {
        if token == nil { token = try snapshot.token }
        let wanted = end == nil ? limit + 1 : batch
        let rows = try rows(end, wanted)
        for row in rows {
            guard let position = position(row) else { continue }
            switch try read(row) {
            case .item where items.count == limit:
                hasMore = true
                return true
            case .item(let item): items.append(item)
            case .skipped(let record): if skipped.count < Self.maxNamed { skipped.append(record) }
            case .hidden: break
            case .end: return true
            }
            end = position
        }
        return rows.count < wanted
    }
}
