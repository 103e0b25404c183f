/// A condition that every update must meet if it writes values to certain nodes, whatever its source: a write of a
/// node, below it or above it, or an import. An update that violates it is refused as a whole, before anything is
/// written.
///
/// The writes of derivations and the changes that a restore repeats are not checked.
public protocol Constraint: Sendable {
    /// The nodes that are checked.
    var place: TreePattern { get }

    /// Whether an update may give a node its new state.
    ///
    /// All writers wait for this, so it should read little. It is called once for each node to which the update writes
    /// a value, even if the value is already there. It is not called for deletions.
    ///
    /// - Parameter snapshot: The state of the tree before the update.
    func allows(_ node: ChangedNode, in snapshot: TreeSnapshot) throws(TreeError) -> Bool

    /// The reason for a refusal, as a clause: shown to requesters who are not bound by rules, and logged.
    var reason: String { get }
}
