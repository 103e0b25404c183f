import Tree

extension MultiPathUpdate {
    /// Creates an update that writes one path.
    init(setting path: TreePath, to value: TreeValue) {
        self.init()
        self[path] = value
    }
}
