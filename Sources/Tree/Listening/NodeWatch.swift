/// Nodes for whose changes somebody waits, until ``TreeStore/stopWatching(_:)``.
package struct NodeWatch: Sendable {
    fileprivate let watchers: [(id: UInt64, node: [UInt8])]
}

extension TreeStore {
    /// Calls back after each commit that may have changed what rules have looked at.
    ///
    /// - Parameter changed: Must not wait for anybody. It may be called when nothing has changed: something was written above
    ///   or below.
    package func watch(_ read: RuledRead, _ changed: @escaping @Sendable () -> Void) -> NodeWatch {
        NodeWatch(watchers: read.nodes.map { (commits.add(.watcher(changed), at: $0), $0) })
    }

    /// Ends a watch; a call that is underway may still come.
    package func stopWatching(_ watch: NodeWatch) {
        for watcher in watch.watchers { commits.remove(watcher.id, at: watcher.node) }
    }
}
