/// A watch for changes of nodes, active until ``end(in:)``.
package struct NodeWatch: Sendable {
    private let watchers: [(id: UInt64, node: [UInt8])]

    /// Starts the watch: calls a function after each commit that may have changed the nodes that rules have read.
    ///
    /// - Parameter changed: Must not block. It may also be called if nothing has changed, after a write above or below
    ///   a node.
    package init(of read: RuledRead, in tree: TreeStore, _ changed: @escaping @Sendable () -> Void) {
        watchers = read.nodes.map { (tree.commits.add(.watcher(changed), at: $0), $0) }
    }

    /// Ends the watch; a call in progress may still arrive.
    package func end(in tree: TreeStore) {
        for watcher in watchers { tree.commits.remove(watcher.id, at: watcher.node) }
    }
}
