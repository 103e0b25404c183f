/// A pattern of paths, as a node of the rules document has it: keys, and wildcards that stand for any one key.
struct PathPattern: Hashable, Sendable {
    enum Element: Hashable, Sendable {
        /// This key, as in ``PathEncoding``.
        case segment([UInt8])
        case any
    }

    var elements: [Element]

    init(_ elements: [Element] = []) { self.elements = elements }

    /// The pattern one level down.
    static func / (pattern: PathPattern, element: Element) -> PathPattern { PathPattern(pattern.elements + [element]) }
}

/// The key of a row at a node, taken apart into segments.
struct SegmentedKey {
    /// The key of a row at the node.
    let key: [UInt8]
    /// The offset at which the segments begin, and the end of each.
    let ends: [Int]

    /// Takes the key of a node apart, or that of its priority, which stands for the node.
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

    /// The key of the ancestor at a depth, which may be the node itself.
    func ancestor(atDepth depth: Int) -> [UInt8] { Array(key[..<ends[depth]]) }
}

extension PathPattern {
    /// The beginning of the keys of rows at its nodes: the prefix of their tree, and the keys before the first wildcard.
    func beginning(behind prefix: [UInt8]) -> [UInt8] {
        var beginning = prefix
        for case .segment(let segment) in elements.prefix(while: { $0 != .any }) { beginning += segment }
        return beginning
    }

    /// Whether a node, or its ancestor that has as many keys as this pattern, matches; of a node that is less deep,
    /// whether something below it may.
    func matches(_ node: SegmentedKey) -> Bool {
        for (index, element) in elements.prefix(node.depth).enumerated() {
            if case .segment(let segment) = element, !node.segment(index).elementsEqual(segment) { return false }
        }
        return true
    }

    /// Visits the nodes that match and have rows in a range, in key order.
    ///
    /// It costs a search for each node, and for each gap that it skips: what lies below them is not read.
    ///
    /// - Parameters:
    ///   - prefixLength: The length of what the keys of the tree begin with.
    ///   - maxSearches: After how many searches to stop.
    /// - Returns: What is left of the range if it stopped; nil if all nodes have been visited.
    @discardableResult
    func forEachNode(
        in range: ByteRange, below prefixLength: Int, of snapshot: any EngineSnapshot, maxSearches: Int = .max,
        _ visit: (_ node: [UInt8], _ segmentStart: Int) throws(TreeError) -> Void
    ) throws(TreeError) -> ByteRange? {
        try forEachNode(in: range, below: prefixLength, maxSearches: maxSearches, visit) { rest throws(TreeError) in
            try snapshot.firstKey(in: rest, reverse: false)
        }
    }

    /// The same, of rows that a function searches.
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

    /// Visits the nodes that match and have rows in a range, in key order, until the visitor returns false: from row to row, for
    /// as long as they have few each.
    ///
    /// - Returns: What is left of the range, perhaps; nil if all nodes have been visited.
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

    /// How many rows of a node are passed before its end is searched for.
    private static let maxRowsPassed = 8

    private enum Step {
        /// The row belongs to this node.
        case node([UInt8], segmentStart: Int)
        /// The row belongs to no node that matches, nor does any before this key.
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
