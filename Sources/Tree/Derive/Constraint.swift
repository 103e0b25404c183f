/// A condition of nodes that every update meets that brings something to them, whoever makes it: by a write of a node, of what is
/// below it or of anything above, or by an import. An update that does not is refused as a whole, before anything of it is
/// written.
///
/// Derivations are not judged, nor are changes that a restore repeats.
public protocol Constraint: Sendable {
    /// The nodes that are looked at.
    var place: TreePattern { get }

    /// Whether a node may become what an update makes of it.
    ///
    /// All writers wait for it, so it should read little. It is called once for each node to which an update brings something,
    /// also when that is there already. Deletions are not looked at.
    ///
    /// - Parameter snapshot: The state of the tree before the update.
    func allows(_ node: ChangedNode, in snapshot: TreeSnapshot) throws(TreeError) -> Bool

    /// The reason for a refusal: a clause, for whom no rule binds, and for the log.
    var reason: String { get }
}
