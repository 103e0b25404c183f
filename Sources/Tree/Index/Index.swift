/// An index: for each child of the nodes at some places, what orders it.
///
///     12 name 00 id(8) parent's path 01 ordered values (``OrderedValue``) child's segment   → nothing
///
/// so that the children of one parent are neighbours, in the order of a query.
struct Index: Hashable, Sendable {
    /// How far an index has come; the raw value is stored.
    enum State: UInt8, Sendable {
        /// Entries of what is written are right, others may be missing yet.
        case building = 0
        case ready = 1
        /// Nobody reads or writes it; its entries are being removed.
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

    /// What the keys of all entries begin with.
    ///
    /// - Parameter tree: What the keys of the rows of the tree begin with.
    func prefix(tree: ArraySlice<UInt8>) -> [UInt8] {
        var prefix = [StorageFormat.indexKeyspace] + StorageFormat.name(ofTree: tree) + [0]
        prefix.appendBigEndian(id)
        return prefix
    }

    /// What the keys of the entries of all parents at a place and below it begin with.
    func prefix(below place: SegmentedKey) -> [UInt8] {
        prefix(tree: place.prefix) + place.key[place.ends[0]...]
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
