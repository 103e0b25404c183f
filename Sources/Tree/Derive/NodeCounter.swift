/// Counts nodes: a leaf that always is the number of nodes of a place, and is not there while there are none.
///
/// Only the change is added, so that it costs the same however many there are. ``Restored`` keeps others from writing the
/// number.
public struct NodeCounter: Derivation {
    /// The nodes that are counted.
    public let place: TreePattern
    /// Where the numbers are.
    package let number: TreePattern

    /// Counts the nodes of a place.
    ///
    /// - Parameter number: Where the number is; its wildcards stand for the first keys of the nodes that are counted.
    public init(of place: TreePattern, at number: TreePattern) {
        self.place = place
        self.number = number
    }

    /// The number, if it is another one now.
    public func writes(
        for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard node.before.isThere != node.after.isThere else { return [] }
        let path = number.path(filledWith: node.keys)
        let old: Int64 = if case .integer(let old)? = try snapshot.get(path) { old } else { 0 }
        let new = max(0, node.after.isThere ? old + 1 : old - 1)
        return [TreeWrite(path: path, value: new == 0 ? nil : .integer(new))]
    }
}
