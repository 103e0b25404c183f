/// Access to the rows of a state as nodes and their children. A node's row is identified by its key, which
/// ``StoreFormat`` derives from its path.
extension EngineSnapshot {
    /// Returns the value of a node with everything below it; nil if none exists.
    func node(_ top: [UInt8]) throws(TreeError) -> TreeValue? {
        var builder = ValueBuilder()
        try scan(.subtree(top), reverse: false) { key, leaf throws(TreeError) in
            try builder.add(path: key.extracting(droppingFirst: top.count), leaf: leaf)
            return true
        }
        return builder.finish()
    }

    /// Returns all rows of a node, relative to it.
    func rows(below top: [UInt8]) throws(TreeError) -> RowBlock {
        var rows = RowBlock()
        try scan(.subtree(top), reverse: false) { key, value throws(TreeError) in
            rows.append(path: key.extracting(droppingFirst: top.count), value: value)
            return true
        }
        return rows
    }

    /// Visits the children that have rows in a range, in order, until the body returns false; costs one search per
    /// child.
    ///
    /// - Parameters:
    ///   - length: The offset of the children's segments in the keys of the rows.
    ///   - visit: Receives the segment of each child.
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

    /// Returns the segments of the children that have rows in a range, in order; costs one search per child.
    ///
    /// - Parameter length: The offset of the segments in the keys of the rows.
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
    /// Returns the range of the rows of a node's children, without its own row and the row of its priority.
    static func children(of top: [UInt8]) -> ByteRange {
        ByteRange(from: top + [PathEncoding.priorityTag + 1], upTo: ByteRange.subtree(top).upper)
    }
}
