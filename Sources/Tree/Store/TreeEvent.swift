/// What one committed update changed below a subscription.
public struct TreeEvent: Hashable, Sendable {
    /// How the change is told; paths are relative to the subscription's.
    public enum Kind: Hashable, Sendable {
        /// One place was written; at the root path, all that the subscription watches.
        case put(TreeWrite)
        /// Several places were written at once, ordered by path.
        case patch([TreeWrite])
    }

    /// The position in the change log just after the update.
    public let token: SyncToken
    /// What was written.
    public let kind: Kind

    /// Tells a change as it is seen from a path at which, above which or below which it wrote.
    ///
    /// No path of an update lies above another: when one is at the watched path or above, it is the only one that
    /// concerns it.
    init(_ change: Change, writes: [TreeWrite], seenFrom watched: TreePath) {
        let seen = writes.map { write in
            if let relative = watched.relative(write.path) { return TreeWrite(path: relative, value: write.value) }
            let inside = write.path.relative(watched) ?? .root
            return TreeWrite(path: .root, value: write.value?[path: inside])
        }
        token = change.token
        kind = seen.count == 1 ? .put(seen[0]) : .patch(seen)
    }
}
