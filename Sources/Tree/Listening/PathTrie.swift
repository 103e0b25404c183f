/// A map from nodes to elements. The elements that a write concerns are found without visiting the others.
///
/// A node is identified by the key of its row (``StoreFormat``), split into segments.
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

    /// Visits all nodes with elements at a key, above it and below it; the key of a priority counts as that of its
    /// node.
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

    /// Returns the name of the tree, then each segment, without the tag of a priority. The keys were created by this
    /// program and are valid.
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

    /// Returns the end of the segment that begins at an offset; nil at the end of the key, and at the tag of a
    /// priority.
    private static func segmentEnd(in key: [UInt8], from start: Int) -> Int? {
        guard start < key.count, key[start] != PathEncoding.priorityTag else { return nil }
        return try? PathEncoding.segmentEnd(in: key.span, from: start)
    }

    /// Changes the elements at a node, creating missing nodes on the path and removing empty ones.
    private static func update(
        _ node: inout Node, at segments: ArraySlice<[UInt8]>, _ change: (inout [UInt64: Element]) -> Void
    ) {
        guard let segment = segments.first else { return change(&node.elements) }
        update(&node.children[segment, default: Node()], at: segments.dropFirst(), change)
        if node.children[segment]?.isEmpty == true { node.children[segment] = nil }
    }
}
