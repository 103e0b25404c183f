/// Elements by the nodes at which they stand, so that those that a write concerns are found without looking at the
/// others.
///
/// A node goes by the key of its row (``StoreFormat``), taken segment by segment.
struct PathTrie<Element: Sendable>: Sendable {
    private struct Node: Sendable {
        var elements: [UInt64: Element] = [:]
        var children: [[UInt8]: Node] = [:]

        var isEmpty: Bool { elements.isEmpty && children.isEmpty }
    }

    private var root = Node()

    var isEmpty: Bool { root.isEmpty }

    mutating func insert(_ element: Element, id: UInt64, at key: [UInt8]) {
        Self.update(&root, at: Self.segments(of: key)[...]) { $0[id] = element }
    }

    mutating func remove(id: UInt64, at key: [UInt8]) {
        Self.update(&root, at: Self.segments(of: key)[...]) { $0[id] = nil }
    }

    /// Visits all nodes with elements at a key, above it and below it; for a priority, those of its node.
    func visit(concernedBy key: [UInt8], _ visit: ([UInt8], [UInt64: Element]) -> Void) {
        var (node, start, end) = (root, 0, try? StoreFormat.prefixLength(of: key.span))
        while let segmentEnd = end {
            if !node.elements.isEmpty { visit(Array(key[..<start]), node.elements) }
            guard let child = node.children[Array(key[start..<segmentEnd])] else { return }
            (node, start) = (child, segmentEnd)
            end = Self.segmentEnd(in: key, from: start)
        }
        Self.visitAll(below: node, at: Array(key[..<start]), visit)
    }

    /// Visits all elements.
    func visitAll(_ visit: (Element) -> Void) {
        Self.visitAll(below: root, at: []) { _, elements in elements.values.forEach(visit) }
    }

    private static func visitAll(
        below node: Node, at key: [UInt8], _ visit: ([UInt8], [UInt64: Element]) -> Void
    ) {
        if !node.elements.isEmpty { visit(key, node.elements) }
        for (segment, child) in node.children { visitAll(below: child, at: key + segment, visit) }
    }

    /// The name of the tree, then each segment; without the tag of a priority. The keys are made by this program.
    private static func segments(of key: [UInt8]) -> [[UInt8]] {
        var segments: [[UInt8]] = []
        var (start, end) = (0, try? StoreFormat.prefixLength(of: key.span))
        while let segmentEnd = end {
            segments.append(Array(key[start..<segmentEnd]))
            start = segmentEnd
            end = Self.segmentEnd(in: key, from: start)
        }
        return segments
    }

    /// The end of the segment that begins at an offset; nil at the end of the key, and at the tag of a priority.
    private static func segmentEnd(in key: [UInt8], from start: Int) -> Int? {
        guard start < key.count, key[start] != PathEncoding.priorityTag else { return nil }
        return try? PathEncoding.segmentEnd(in: key.span, from: start)
    }

    /// Changes the elements at a node, making nodes on the way and dropping those left empty.
    private static func update(
        _ node: inout Node, at segments: ArraySlice<[UInt8]>, _ change: (inout [UInt64: Element]) -> Void
    ) {
        guard let segment = segments.first else { return change(&node.elements) }
        update(&node.children[segment, default: Node()], at: segments.dropFirst(), change)
        if node.children[segment]?.isEmpty == true { node.children[segment] = nil }
    }
}
