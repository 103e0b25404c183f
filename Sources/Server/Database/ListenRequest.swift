import Tree

/// What a stream asks to be told of: the value at a path, or what a query takes of it.
struct ListenRequest: Sendable {
    let path: TreePath
    let query: TreeQuery?
}
