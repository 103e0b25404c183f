/// Puts back what derivations own when somebody else has written it: a client, an admin, or an import, whose other data
/// are counted anew all the same.
///
/// It belongs into a stratum before those that write there.
public struct Restored: Derivation {
    /// The leaves that are kept as they are.
    public let place: TreePattern

    /// Keeps the leaves of a place as they are.
    public init(_ place: TreePattern) { self.place = place }

    /// What was there before.
    public func writes(
        for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) -> [TreeWrite] {
        guard node.before != node.after else { return [] }
        let value: TreeValue? = if case .leaf(let leaf) = node.before { leaf } else { nil }
        return [TreeWrite(path: place.path(filledWith: node.keys), value: value)]
    }
}
