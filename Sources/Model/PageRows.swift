package import Tree

/// A record that a page passes over, since a client of the database wrote something else there.
package struct SkippedRecord: Sendable, Hashable {
    package let id: TreeKey
    /// The fault, such as "its timestamp is missing".
    package let fault: String

    package init(id: TreeKey, fault: String) {
        (self.id, self.fault) = (id, fault)
    }
}

/// The rows of a list that make a page: items up to a limit, and what is passed over between them. They are read in several
/// states of the tree where much is passed over, so that none is held for long (``TreeStore/page(_:readOn:)``).
package struct PageRows<Item: Sendable, Position: Sendable>: Sendable {
    /// The meaning of a row.
    package enum Meaning {
        case item(Item)
        case skipped(SkippedRecord)
        /// A row that is gone, or that the reader does not see.
        case hidden
        /// The first row behind the list.
        case end
    }

    package private(set) var items: [Item] = []
    /// The records that were passed over; the first ones.
    package private(set) var skipped: [SkippedRecord] = []
    /// Whether items follow this page.
    package var hasMore = false
    /// The position of the last row that the page has, or has passed over.
    private var end: Position?
    /// The position in the change log of the first state that was read: whoever follows the changes from there misses nothing.
    package private(set) var token: SyncToken?

    /// The position behind which the next page begins; nil when this is the last.
    package var next: Position? { hasMore ? end : nil }

    /// The most records that are named when they are passed over, so that an answer stays small.
    package static var maxNamed: Int { 1000 }

    package init() {}

    /// Reads on, in one state of the tree, until the page has `limit` items and knows whether more follow; or as far as one
    /// state is read.
    ///
    /// - Parameters:
    ///   - batch: The number of rows that one state is read for, once rows are passed over.
    ///   - rows: Returns the next rows of the list behind a position, at most so many.
    ///   - position: Returns the position of a row; nil for what is no row of this list.
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
