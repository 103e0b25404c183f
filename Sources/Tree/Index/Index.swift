/// An index: the children of the nodes that match a pattern, ordered by a value. Each entry is a row:
///
///     12 name 00 id(8) parent's path 01 ordered values (``OrderedValue``) child's segment   → nothing
///
/// The entries of one parent's children are adjacent, in the order of a query.
struct Index: Hashable, Sendable {
    /// The state of an index; the raw value is stored.
    enum State: UInt8, Sendable {
        /// New writes are indexed; entries of older data may still be missing.
        case building = 0
        case ready = 1
        /// The index is neither read nor written; its entries are being removed.
        case dropped = 2
    }

    let id: UInt64
    /// The pattern of the parents whose children are indexed.
    let parents: PathPattern
    let order: ChildOrder
    var state: State

    var isReady: Bool { state == .ready }

    /// The pattern of the indexed children.
    var children: PathPattern { parents / .any }

    /// Returns the prefix of the keys of all entries.
    ///
    /// - Parameter tree: The prefix of the keys of the tree's rows.
    func prefix(tree: ArraySlice<UInt8>) -> [UInt8] {
        var prefix = [StoreFormat.indexKeyspace] + StoreFormat.name(ofTree: tree) + [0]
        prefix.appendBigEndian(id)
        return prefix
    }

    /// Returns the prefix of the keys of the entries of all parents at a node and below it.
    func prefix(below node: SegmentedKey) -> [UInt8] {
        prefix(tree: node.prefix) + node.key[node.ends[0]...]
    }

    /// Returns the prefix of the keys of one parent's entries.
    func entries(of parent: SegmentedKey) -> [UInt8] { prefix(below: parent) + [Self.valuesTag] }

    /// Returns the key of the entry for a child in its current state.
    ///
    /// - Parameters:
    ///   - child: The key of the child's row.
    ///   - segmentStart: The offset of the child's own segment in this key.
    func entry(
        of child: [UInt8], segmentStart: Int, in snapshot: any EngineSnapshot
    ) throws(TreeError) -> [UInt8] {
        var entry = entries(of: try SegmentedKey(Array(child[..<segmentStart])))
        try snapshot.appendOrder(order, of: child, segmentStart: segmentStart, to: &entry)
        return entry
    }

    /// The byte between a parent's path and the values; it sorts before the first byte of any segment.
    private static let valuesTag: UInt8 = 0x01
}

extension EngineSnapshot {
    /// Returns the segments of the children that match a query, read from an index, in ascending query order.
    func segments(of query: EncodedQuery, in index: Index, below top: [UInt8]) throws(TreeError) -> [[UInt8]] {
        let entries = index.entries(of: try SegmentedKey(top))
        let range = ByteRange(from: entries + query.range.lower, upTo: entries + query.range.upper)
        let (limit, reverse): (Int, Bool) =
            switch query.query.limit {
            case nil: (.max, false)
            case .first(let limit): (limit, false)
            case .last(let limit): (limit, true)
            }
        var segments: [[UInt8]] = []
        try scan(range, reverse: reverse) { key, _ throws(TreeError) in
            var start = entries.count
            for _ in 0..<index.order.valueCount { start = try OrderedValue.end(in: key, from: start) }
            segments.append(key.extracting(droppingFirst: start).copied)
            return segments.count < limit
        }
        return reverse ? segments.reversed() : segments
    }
}
