public import TintypeModel

extension TreeReference {
    /// Observes the value; `null` if there is none.
    public func observe() -> TreeSnapshots<JSONValue> {
        TreeSnapshots(TreeListener(reference: self, query: nil, node: ObservedValue()))
    }
}

extension TreeReference {
    /// Observes the children that a query selects, as an object; `null` if there are none.
    public func observe(_ query: TreeQuery) -> TreeSnapshots<JSONValue> {
        TreeSnapshots(TreeListener(reference: self, query: query, node: ObservedValue()))
    }
}

extension TreeCollection {
    /// Observes all entities, in the order of their keys. A child that is not such an entity is one fault.
    public func observe() -> TreeSnapshots<TreeChildren<Element>> {
        TreeSnapshots(TreeListener(reference: reference, query: nil, node: ObservedChildren(in: .key)))
    }

    /// Observes the entities that a query selects, in its order: also those that move into a limit later.
    public func observe(_ query: TreeQuery) -> TreeSnapshots<TreeChildren<Element>> {
        TreeSnapshots(TreeListener(reference: reference, query: query, node: ObservedChildren(in: query.order)))
    }

    /// Observes an entity: nil if there is none, a fault if the node is not such an entity.
    public func observe(_ id: Element.ID) throws -> TreeSnapshots<Result<Element?, DecodingFault>> {
        let key = try Element.key(of: id)
        return TreeSnapshots(
            TreeListener(reference: reference.child(key), query: nil, node: ObservedEntity(key: key)))
    }
}
