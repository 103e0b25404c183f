/// A cache of one state of the tree: the children of selected nodes, the values decoded from them, and the nodes that
/// have no children.
///
/// It is used only on the thread that reads the state, and is released with it.
final class ReadMemory {
    private let lists: [TreePath]
    private var values: [TreePath: TreeValue?] = [:]
    private var made: [TreePath: Any] = [:]
    private var areEmpty: [Bool?]

    init(lists: [TreePath]) {
        self.lists = lists.filter { !$0.isRoot }
        areEmpty = Array(repeating: nil, count: self.lists.count)
    }

    /// Whether a path is below one of the cached nodes.
    func covers(_ path: TreePath) -> Bool { index(of: path) != nil }

    /// Returns the value at a path below one of the cached nodes; nil if none exists.
    func value(at path: TreePath, in engine: any EngineSnapshot) throws(TreeError) -> TreeValue? {
        guard let index = index(of: path), try !isEmpty(at: index, in: engine) else { return nil }
        let depth = lists[index].depth
        let node = path.depth == depth + 1 ? path : TreePath(Array(path.keys[...depth]), in: path.namespace)
        let value: TreeValue?
        if let known = values[node] {
            value = known
        } else {
            value = try engine.node(StoreFormat.dataKey(node))
            values[node] = .some(value)
        }
        return path.keys.dropFirst(depth + 1).reduce(value) { $0?[$1] }
    }

    /// Whether no value exists at a path because the cached node above it is empty.
    func isEmpty(above path: TreePath, in engine: any EngineSnapshot) throws(TreeError) -> Bool {
        guard let index = index(of: path) else { return false }
        return try isEmpty(at: index, in: engine)
    }

    private func isEmpty(at index: Int, in engine: any EngineSnapshot) throws(TreeError) -> Bool {
        if let known = areEmpty[index] { return known }
        let isEmpty = try engine.isEmpty(.subtree(StoreFormat.dataKey(lists[index])))
        areEmpty[index] = isEmpty
        return isEmpty
    }

    private func index(of path: TreePath) -> Int? {
        lists.firstIndex { list in
            // The last key is compared first: lists mostly differ there.
            list.depth < path.depth && path.keys[list.depth - 1] == list.keys.last && list.namespace == path.namespace
                && path.keys.starts(with: list.keys)
        }
    }

    /// Stores children of a node if the node is one of the cached ones.
    func keep(_ children: [TreeChild], of list: TreePath) {
        guard lists.contains(list) else { return }
        for child in children { values[list / child.key] = child.value }
    }

    func made<Made>(of path: TreePath, as type: Made.Type) -> Made? { made[path] as? Made }

    func keep(_ value: Any?, of path: TreePath) { made[path] = value }
}
