/// Rows that follow from the children of a node, written in the transaction that changes the children, whoever changes
/// them: a write of the child itself, of what is below it, of the node or of anything above, an import, a time to live.
///
/// What is derived is no part of the change log, as no client has written it, and nobody is notified of it. It belongs
/// into a tree that clients cannot write.
public protocol Derivation: Sendable {
    /// The node whose children are followed.
    var parent: TreePath { get }

    /// The rows that follow from the change of one child.
    ///
    /// All writers wait for it, so it should read little. It is called for each child that an update may have changed,
    /// in key order, also when nothing of it has changed in the end.
    ///
    /// - Parameters:
    ///   - child: The child that may have changed.
    ///   - snapshot: The state of the tree after the update, with what has been derived of the children before this one.
    /// - Returns: The leaves to be written, and as nil the nodes to be deleted; none of them at or below the parent.
    func writes(
        for child: ChangedChild, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite]
}

/// A child that an update may have changed.
public struct ChangedChild: Sendable, Hashable {
    /// The key of the child.
    public let key: TreeKey
    /// Whether anything was there before the update.
    public let wasThere: Bool
    /// Whether anything is there after it.
    public let isThere: Bool
    /// The number of children before this one, in key order, that the same update may have changed.
    public let number: Int

    /// Whether the update has deleted the child.
    public var isDeleted: Bool { wasThere && !isThere }
}

/// When, and at which position of the change log, an update is committed.
public struct CommitPoint: Sendable, Hashable {
    /// The position in the change log just after the update.
    public let token: SyncToken
    /// The time of the commit, in milliseconds since 1970.
    public let timestampMilliseconds: Int64
}
