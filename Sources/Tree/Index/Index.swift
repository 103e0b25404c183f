/// An index: for each child of the nodes that match a pattern, what orders it.
///
///     12 name 00 id(8) parent's path 01 ordered values (``OrderedValue``) child's segment   → nothing
///
/// so that the children of one parent are neighbours, in the order of a query.
struct Index: Hashable, Sendable {
    /// The state of an index; the raw value is stored.
    enum State: UInt8, Sendable {
        /// Entries of what is written are right, others may be missing yet.
        case building = 0
        case ready = 1
        /// The index is neither read nor written; its entries are being removed.
        case dropped = 2
    }

    let id: UInt64
    /// The parents whose children are in it.
    let parents: PathPattern
    let order: ChildOrder
    var state: State

    var isReady: Bool { state == .ready }

    /// The children that are in it.
    var children: PathPattern { parents / .any }

    /// The prefix of the keys of all entries.
    ///
    /// - Parameter tree: What the keys of the rows of the tree begin with.
    func prefix(tree: ArraySlice<UInt8>) -> [UInt8] {
        var prefix = [StoreFormat.indexKeyspace] + StoreFormat.name(ofTree: tree) + [0]
        prefix.appendBigEndian(id)
        return prefix
    }

    /// The prefix of the keys of the entries of all parents at a node and below it.
    func prefix(below node: SegmentedKey) -> [UInt8] {
        prefix(tree: node.prefix) + node.key[node.ends[0]...]
    }

    /// The entries of one parent.
    func entries(of parent: SegmentedKey) -> [UInt8] { prefix(below: parent) + [Self.valuesTag] }

    /// The entry of a child as it is now.
    ///
    /// - Parameters:
    ///   - child: The key of a row at the child.
    ///   - segmentStart: Where the child's own segment begins in it.
    func entry(
        of child: [UInt8], segmentStart: Int, in snapshot: any EngineSnapshot
    ) throws(TreeError) -> [UInt8] {
        var entry = entries(of: try SegmentedKey(Array(child[..<segmentStart])))
        try snapshot.appendOrder(order, of: child, segmentStart: segmentStart, to: &entry)
        return entry
    }

    /// Separates a parent's path from the values; before the first byte of any segment.
    private static let valuesTag: UInt8 = 0x01
}

extension EngineSnapshot {
    /// The segments of the children that a query takes, by an index, in its order, ascending.
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
