/// Elements by the path at which they stand, so that those a write concerns are found without looking at the others.
struct PathTrie<Element: Sendable>: Sendable {
    private struct Node: Sendable {
        var elements: [UInt64: Element] = [:]
        var children: [TreeKey: Node] = [:]

        var isEmpty: Bool { elements.isEmpty && children.isEmpty }
    }

    private var root = Node()

    var isEmpty: Bool { root.isEmpty }

    mutating func insert(_ element: Element, id: UInt64, at path: TreePath) {
        Self.update(&root, at: path.keys[...]) { $0[id] = element }
    }

    mutating func remove(id: UInt64, at path: TreePath) {
        Self.update(&root, at: path.keys[...]) { $0[id] = nil }
    }

    /// Visits all places with elements at a path, above it and below it.
    func visit(concernedBy path: TreePath, _ visit: (TreePath, Dictionary<UInt64, Element>.Values) -> Void) {
        var node = root
        var place = TreePath.root
        for key in path.keys {
            if !node.elements.isEmpty { visit(place, node.elements.values) }
            guard let child = node.children[key] else { return }
            node = child
            place.keys.append(key)
        }
        Self.visitAll(below: node, at: place, visit)
    }

    private static func visitAll(
        below node: Node, at place: TreePath, _ visit: (TreePath, Dictionary<UInt64, Element>.Values) -> Void
    ) {
        if !node.elements.isEmpty { visit(place, node.elements.values) }
        for (key, child) in node.children { visitAll(below: child, at: place / key, visit) }
    }

    /// Changes the elements at a path in place, making nodes on the way and dropping those left empty.
    private static func update(
        _ node: inout Node, at path: ArraySlice<TreeKey>, _ change: (inout [UInt64: Element]) -> Void
    ) {
        guard let key = path.first else { return change(&node.elements) }
        update(&node.children[key, default: Node()], at: path.dropFirst(), change)
        if node.children[key]?.isEmpty == true { node.children[key] = nil }
    }
}
