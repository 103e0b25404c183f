/// Data that follow from other data, written in the transaction that changes those, whoever changes them: a write of the
/// node that is followed, of what is below it or of anything above, an import, a time to live.
///
/// What is written into a tree of clients is a part of the same change: of its entry in the change log, and of what
/// listeners are told. What is written into a tree that clients cannot reach is in the transaction alone.
public protocol Derivation: Sendable {
    /// The nodes that are followed.
    var place: TreePattern { get }

    /// The writes that follow from the change of one node.
    ///
    /// All writers wait for it, so it should read little. It is called for each node that an update may have changed,
    /// in key order, also when nothing of it has changed in the end.
    ///
    /// - Parameters:
    ///   - node: The node that may have changed.
    ///   - snapshot: The state of the tree after the update, with what has been derived so far.
    /// - Returns: What is to be written, in trees that clients cannot reach as leaves alone, and as nil the nodes to be
    ///   deleted; none of them where a derivation of the same stratum follows something.
    func writes(
        for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite]

    /// About how many writes follow when a value comes to a node.
    ///
    /// - Parameter value: The leaf that is written there; nil for an object, or a deletion.
    func writeCount(for value: TreeValue?) -> Int
}

extension Derivation {
    /// One: most derivations keep one entry, or one number.
    public func writeCount(for value: TreeValue?) -> Int { 1 }
}

/// What stands at a node.
public enum NodeState: Sendable, Hashable {
    case nothing
    /// There are children.
    case object
    case leaf(TreeValue)

    /// Whether anything is there.
    public var isThere: Bool { self != .nothing }
}

/// A node that an update may have changed.
public struct ChangedNode: Sendable, Hashable {
    /// The keys that the wildcards of the place stand for, in their order.
    public let keys: [TreeKey]
    /// What was there before the update.
    public let before: NodeState
    /// What is there after it.
    public let after: NodeState
    /// The number of nodes of this place before this one, in key order, that the same update may have changed.
    public let number: Int
    /// Whether it was only touched as a part of what an update wrote above it, as an import does or a deletion of more.
    public let isPartOfMore: Bool

    package init(keys: [TreeKey], before: NodeState, after: NodeState, number: Int, isPartOfMore: Bool) {
        self.keys = keys
        self.before = before
        self.after = after
        self.number = number
        self.isPartOfMore = isPartOfMore
    }

    /// Whether the update has deleted the node.
    public var isDeleted: Bool { before.isThere && !after.isThere }
}

/// When, and at which position of the change log, an update is committed.
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
