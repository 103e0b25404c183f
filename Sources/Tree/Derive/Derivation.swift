/// Data that are derived from other data, and written in the same transaction, whatever the source of the change: a
/// write of the followed node, below it or above it, an import, or a time to live.
///
/// Derived data in a tree of clients are part of the same change: they are in its change log entry and are sent to
/// listeners. Derived data in a tree that clients cannot access are only in the transaction.
public protocol Derivation: Sendable {
    /// The nodes that the derivation follows.
    var place: TreePattern { get }

    /// Whether the derivation uses ``ChangedNode/hasChanged``; false by default. Of an update that replaces more than
    /// the followed nodes, the old rows of each existing node are then read and compared.
    var followsContent: Bool { get }

    /// Returns the writes that follow from the change of one node.
    ///
    /// All writers wait for this, so it should read little. It is called for each node that an update may have changed,
    /// in key order, even if the node has not changed in the end.
    ///
    /// - Parameters:
    ///   - node: The node that may have changed.
    ///   - snapshot: The state of the tree after the update, including the derived data so far.
    /// - Returns: The values to write, which must be leaves in trees that clients cannot access, and nil for the nodes
    ///   to delete. None may be at a node that a derivation of the same stratum follows.
    func writes(
        for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite]

    /// Returns the approximate number of writes that follow when a node receives a value.
    ///
    /// - Parameter value: The leaf that is written; nil for an object or a deletion.
    func writeCount(for value: TreeValue?) -> Int
}

extension Derivation {
    /// Returns false: most derivations follow leaves, or the existence of nodes.
    public var followsContent: Bool { false }

    /// Returns 1, as most derivations maintain one entry or one number.
    public func writeCount(for value: TreeValue?) -> Int { 1 }
}

/// The state of a node.
public enum NodeState: Sendable, Hashable {
    case nothing
    /// The node has children.
    case object
    case leaf(TreeValue)

    /// Whether the node exists.
    public var isThere: Bool { self != .nothing }
}

/// A node that an update may have changed.
public struct ChangedNode: Sendable, Hashable {
    /// The keys at the wildcards of the pattern, in their order.
    public let keys: [TreeKey]
    /// The state before the update.
    public let before: NodeState
    /// The state after the update.
    public let after: NodeState
    /// The number of earlier nodes of the pattern, in key order, that the same update may have changed.
    public let number: Int
    /// Whether the node was changed only by a write above it, such as an import or the deletion of a larger part.
    public let isPartOfMore: Bool
    /// Whether the update has changed anything at the node or below it. Of a node that existed before and still exists,
    /// this is known only to derivations that follow content (``Derivation/followsContent``), and else false.
    public let hasChanged: Bool

    package init(
        keys: [TreeKey], before: NodeState, after: NodeState, number: Int, isPartOfMore: Bool, hasChanged: Bool = false
    ) {
        self.keys = keys
        self.before = before
        self.after = after
        self.number = number
        self.isPartOfMore = isPartOfMore
        self.hasChanged = hasChanged || before.isThere != after.isThere
    }

    /// Whether the update has deleted the node.
    public var isDeleted: Bool { before.isThere && !after.isThere }
}

/// The time of a commit, and its position in the change log.
public struct CommitPoint: Sendable, Hashable {
    /// The position in the change log just after the update.
    public let token: SyncToken
    /// The time of the commit.
    public let timestamp: Timestamp

    package init(token: SyncToken, timestamp: Timestamp) {
        self.token = token
        self.timestamp = timestamp
    }
}
