/// What has been read of one state of the tree: the children of some nodes, each whole, and what was made of them; and which of
/// these nodes have none.
///
/// It belongs to the thread that reads the state, and is gone with it.
final class ReadMemory {
    private let lists: [TreePath]
    private var values: [TreePath: TreeValue?] = [:]
    private var made: [TreePath: Any] = [:]
    private var areEmpty: [Bool?]

    init(lists: [TreePath]) {
        self.lists = lists.filter { !$0.isRoot }
        areEmpty = Array(repeating: nil, count: self.lists.count)
    }

    /// Whether a path is below one of the nodes.
    func covers(_ path: TreePath) -> Bool { index(of: path) != nil }

    /// What is at a path below one of the nodes.
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

    /// Whether nothing is at a path because nothing at all is at the node that it is below.
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
            // The last key first: it is what lists differ in.
            list.depth < path.depth && path.keys[list.depth - 1] == list.keys.last && list.namespace == path.namespace
                && path.keys.starts(with: list.keys)
        }
    }

    /// Keeps children of a node, if it is one of those.
    func keep(_ children: [TreeChild], of list: TreePath) {
        guard lists.contains(list) else { return }
        for child in children { values[list / child.key] = child.value }
    }

    func made<Made>(of path: TreePath, as type: Made.Type) -> Made? { made[path] as? Made }

    func keep(_ value: Any?, of path: TreePath) { made[path] = value }
}
