/// Nodes for whose changes somebody waits, until ``end(in:)``.
package struct NodeWatch: Sendable {
    private let watchers: [(id: UInt64, node: [UInt8])]

    /// Begins to call back after each commit that may have changed what rules have looked at.
    ///
    /// - Parameter changed: Must not wait for anybody. It may be called when nothing has changed: something was written above
    ///   or below.
    package init(of read: RuledRead, in tree: TreeStore, _ changed: @escaping @Sendable () -> Void) {
        watchers = read.nodes.map { (tree.commits.add(.watcher(changed), at: $0), $0) }
    }

    /// Ends the watch; a call that is underway may still come.
    package func end(in tree: TreeStore) {
        for watcher in watchers { tree.commits.remove(watcher.id, at: watcher.node) }
    }
}
