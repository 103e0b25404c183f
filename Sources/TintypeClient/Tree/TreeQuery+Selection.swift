package import TintypeModel

extension TreeQuery {
    /// A text that is the same for equal queries alone.
    ///
    /// - Throws: `TreeInputError` for a query that the service would refuse.
    package func text() throws -> String { try fields().map { "\($0.name)=\($0.value)" }.joined(separator: "&") }

    /// Returns the children that the query selects, in its order, as the service would.
    ///
    /// - Parameter node: The value of the node, as the tree has it.
    package func selection(from node: JSONValue) -> [(key: String, value: JSONValue)] {
        var children = (node.object ?? [:]).map { key, child in
            (position: ChildPosition(key, child, in: order), value: child)
        }
        children.removeAll { child in !bounds.allSatisfy { $0.includes(child.position, in: order) } }
        children.sort { $0.position < $1.position }
        let selected =
            switch limit?.name {
            case "limitToFirst": children.prefix(limit?.count ?? 0)
            case "limitToLast": children.suffix(limit?.count ?? 0)
            default: children[...]
            }
        return selected.map { ($0.position.key, $0.value) }
    }
}

extension TreeQuery.Bound {
    /// Whether the bound lets a child through.
    fileprivate func includes(_ position: ChildPosition, in order: TreeQuery.Order) -> Bool {
        let (isBefore, isBehind) = position.relation(to: value, key, in: order)
        return switch name {
        case "startAt": !isBefore
        case "startAfter": isBehind
        case "endAt": !isBehind
        case "endBefore": isBefore
        default: !isBefore && !isBehind
        }
    }
}
