/// A pattern of paths, as a node of the rules document defines it: keys, and wildcards that match any single key.
struct PathPattern: Hashable, Sendable {
    enum Element: Hashable, Sendable {
        /// A literal key, encoded as in ``PathEncoding``.
        case segment([UInt8])
        case any
    }

    var elements: [Element]

    init(_ elements: [Element] = []) { self.elements = elements }

    /// Returns the pattern with one more element.
    static func / (pattern: PathPattern, element: Element) -> PathPattern { PathPattern(pattern.elements + [element]) }
}

/// The row key of a node, split into segments.
struct SegmentedKey {
    /// The key of the node's row.
    let key: [UInt8]
    /// The offset of the first segment, followed by the end offset of each segment.
    let ends: [Int]

    /// Splits the key of a node, or of its priority, which counts as the node.
    init(_ key: [UInt8]) throws(TreeError) {
        var ends = [try StoreFormat.prefixLength(of: key.span)]
        while let end = ends.last, end < key.count, key[end] != PathEncoding.priorityTag {
            ends.append(try PathEncoding.segmentEnd(in: key.span, from: end))
        }
        self.ends = ends
        self.key = Array(key[..<(ends.last ?? 0)])
    }

    /// The prefix of the keys of all rows of the tree.
    var prefix: ArraySlice<UInt8> { key[..<ends[0]] }
    var depth: Int { ends.count - 1 }

    func segment(_ index: Int) -> ArraySlice<UInt8> { key[ends[index]..<ends[index + 1]] }

    /// Returns the key of the ancestor at a depth; at the node's own depth, the node itself.
    func ancestor(atDepth depth: Int) -> [UInt8] { Array(key[..<ends[depth]]) }
}

extension PathPattern {
    /// Returns the common beginning of the row keys of its nodes: the prefix of their tree, and the keys before the
    /// first wildcard.
    func beginning(behind prefix: [UInt8]) -> [UInt8] {
        var beginning = prefix
        for case .segment(let segment) in elements.prefix(while: { $0 != .any }) { beginning += segment }
        return beginning
    }

    /// Whether a node and the pattern agree in all elements that both have: the node matches, is below a node that
    /// matches, or may have such a node below it.
    func matches(_ node: SegmentedKey) -> Bool {
        for (index, element) in elements.prefix(node.depth).enumerated() {
            if case .segment(let segment) = element, !node.segment(index).elementsEqual(segment) { return false }
        }
        return true
    }

    /// Visits the matching nodes that have rows in a range, in key order.
    ///
    /// It costs one search for each node and for each skipped gap; rows below the nodes are not read.
    ///
    /// - Parameters:
    ///   - prefixLength: The length of the common prefix of the tree's keys.
    ///   - maxSearches: The number of searches after which to stop.
    ///   - visit: Receives the key of the node's row, and the offset of the node's own segment in this key.
    /// - Returns: The rest of the range if it stopped; nil if all nodes have been visited.
    @discardableResult
    func forEachNode(
        in range: ByteRange, below prefixLength: Int, of snapshot: any EngineSnapshot, maxSearches: Int = .max,
        _ visit: (_ node: [UInt8], _ segmentStart: Int) throws(TreeError) -> Void
    ) throws(TreeError) -> ByteRange? {
        try forEachNode(in: range, below: prefixLength, maxSearches: maxSearches, visit) { rest throws(TreeError) in
            try snapshot.firstKey(in: rest, reverse: false)
        }
    }

    /// Visits the matching nodes as above.
    ///
    /// - Parameter firstKey: Returns the first key of a row in a range; nil if there is none.
    @discardableResult
    func forEachNode(
        in range: ByteRange, below prefixLength: Int, maxSearches: Int = .max,
        _ visit: (_ node: [UInt8], _ segmentStart: Int) throws(TreeError) -> Void,
        firstKey: (ByteRange) throws(TreeError) -> [UInt8]?
    ) throws(TreeError) -> ByteRange? {
        var rest = range
        for _ in 0..<maxSearches {
            guard let key = try firstKey(rest) else { return nil }
            switch try step(from: key.span, below: prefixLength) {
            case .skip(let next): rest = ByteRange(from: next, upTo: range.upper)
            case .node(let node, let segmentStart):
                try visit(node, segmentStart)
                rest = ByteRange(from: ByteRange.subtree(node).upper, upTo: range.upper)
            }
        }
        return rest
    }

    /// Visits the matching nodes at the beginning of a range, in key order, in a single scan of the rows.
    ///
    /// The scan ends when the visitor returns false, at a row of no matching node, or when a node has more than
    /// ``maxRowsPassed`` further rows: a search is then cheaper than reading on.
    ///
    /// - Parameter prefixLength: The length of the common prefix of the tree's keys.
    /// - Returns: The rest of the range if the scan ended early; nil if all nodes have been visited.
    func scanNodes(
        in range: ByteRange, below prefixLength: Int, of snapshot: any EngineSnapshot,
        _ visit: (_ node: [UInt8]) throws(TreeError) -> Bool
    ) throws(TreeError) -> ByteRange? {
        var (node, rowCount): ([UInt8]?, Int) = (nil, 0)
        var next: [UInt8]?
        try snapshot.scan(range, reverse: false) { key, _ throws(TreeError) in
            if let node, key.starts(with: node.span) {
                rowCount += 1
                if rowCount > Self.maxRowsPassed { next = ByteRange.subtree(node).upper }
                return next == nil
            }
            switch try step(from: key, below: prefixLength) {
            case .skip(let key): next = key
            case .node(let found, _):
                (node, rowCount) = (found, 1)
                if try !visit(found) { next = ByteRange.subtree(found).upper }
            }
            return next == nil
        }
        return next.map { ByteRange(from: $0, upTo: range.upper) }
    }

    /// The largest number of rows after a node's first that a scan passes over.
    private static let maxRowsPassed = 8

    private enum Step {
        /// The row belongs to this node.
        case node([UInt8], segmentStart: Int)
        /// Neither the row nor any row before this key belongs to a matching node.
        case skip(to: [UInt8])
    }

    private func step(from key: Span<UInt8>, below prefixLength: Int) throws(TreeError) -> Step {
        var (start, end) = (prefixLength, prefixLength)
        for element in elements {
            start = end
            guard start < key.count else { return .skip(to: ByteRange.subtree(key.copied).upper) }
            guard key[start] != PathEncoding.priorityTag else { return .skip(to: key.copied + [0]) }
            end = try PathEncoding.segmentEnd(in: key, from: start)
            guard case .segment(let segment) = element else { continue }
            let found = key.extracting(start..<end)
            if found.hasSameBytes(as: segment.span) { continue }
            let parent = key.extracting(0..<start).copied
            return .skip(to: found.precedes(segment.span) ? parent + segment : ByteRange.subtree(parent).upper)
        }
        return .node(key.extracting(0..<end).copied, segmentStart: start)
    }
}
