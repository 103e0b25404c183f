/// The rows of a state seen as nodes and their children. The row of a node is named by its key, which ``StoreFormat``
/// makes of its path.
extension EngineSnapshot {
    /// The value of a node, with all that is below; nil if nothing is there.
    func node(_ top: [UInt8]) throws(TreeError) -> TreeValue? {
        var builder = ValueBuilder()
        try scan(.subtree(top), reverse: false) { key, leaf throws(TreeError) in
            try builder.add(path: key.extracting(droppingFirst: top.count), leaf: leaf)
            return true
        }
        return builder.finish()
    }

    /// All rows of a node, below it.
    func rows(below top: [UInt8]) throws(TreeError) -> RowBlock {
        var rows = RowBlock()
        try scan(.subtree(top), reverse: false) { key, value throws(TreeError) in
            rows.append(path: key.extracting(droppingFirst: top.count), value: value)
            return true
        }
        return rows
    }

    /// Visits the children that have rows in a range, in order, until the body returns false; costs a search for each.
    ///
    /// - Parameters:
    ///   - length: Where the segments begin in the keys of the rows.
    ///   - visit: Is given the segment of each child.
    func forEachChild(
        in rows: ByteRange, below length: Int, reverse: Bool = false,
        _ visit: (Span<UInt8>) throws(TreeError) -> Bool
    ) throws(TreeError) {
        var rest = rows
        while let key = try firstKey(in: rest, reverse: reverse) {
            let child = Array(key[..<(try PathEncoding.segmentEnd(in: key.span, from: length))])
            guard try visit(child.span.extracting(droppingFirst: length)) else { return }
            rest =
                reverse
                ? ByteRange(from: rest.lower, upTo: child)
                : ByteRange(from: ByteRange.subtree(child).upper, upTo: rest.upper)
        }
    }

    /// The segments of the children that have rows in a range, in order; costs a search for each.
    ///
    /// - Parameter length: Where the segments begin in the keys of the rows.
    func childSegments(
        in rows: ByteRange, below length: Int, reverse: Bool = false, limit: Int = .max
    ) throws(TreeError) -> [[UInt8]] {
        var segments: [[UInt8]] = []
        guard limit > 0 else { return segments }
        try forEachChild(in: rows, below: length, reverse: reverse) { segment in
            segments.append(segment.copied)
            return segments.count < limit
        }
        return segments
    }
}

extension ByteRange {
    /// The rows of all children of a node, its own row and its priority's left out.
    static func children(of top: [UInt8]) -> ByteRange {
        ByteRange(from: top + [PathEncoding.priorityTag + 1], upTo: ByteRange.subtree(top).upper)
    }
}
