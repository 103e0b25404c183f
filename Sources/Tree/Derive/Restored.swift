/// Restores derived leaves that others have written: a client, an admin, or an import. The rest of an import is still
/// counted.
///
/// Put it in a stratum before the derivations that write these leaves.
public struct Restored: Derivation {
    /// The protected leaves.
    public let place: TreePattern

    /// Creates a derivation that protects the leaves of a pattern.
    public init(_ place: TreePattern) { self.place = place }

    /// Returns the write of the value before the update; empty if it has not changed.
    public func writes(
        for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) -> [TreeWrite] {
        guard node.before != node.after else { return [] }
        let value: TreeValue? = if case .leaf(let leaf) = node.before { leaf } else { nil }
        return [TreeWrite(path: place.path(filledWith: node.keys), value: value)]
    }
}
