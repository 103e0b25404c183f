public import TintypeModel

/// The children of a node of the tree as entities of one type.
///
///     let events = client.tree("events").of(Event.self)
///     let event = try await events.get(id).value
///     for try await snapshot in events.observe() { show(snapshot.elements) }
///
/// Ids become keys of the tree. One that cannot be a key is an error, `TreeInputError`, before anything is sent. Other
/// errors are those of `ServiceClient`.
public struct TreeCollection<Element: TreeEntity>: Sendable {
    /// The node.
    public let reference: TreeReference

    /// Reads an entity.
    ///
    /// - Returns: The entity; nil if there is none.
    /// - Throws: `DecodingFault` if the node is not such an entity.
    public func get(_ id: Element.ID) async throws -> Answer<Element?> {
        let key = try Element.key(of: id)
        return try await reference.child(key).value().map { try Self.entity($0, key) }
    }

    /// Reads the entities with up to 100 ids, all of them from one state of the tree.
    ///
    /// - Returns: The entities in the order of the ids, without those that do not exist. The faults are the nodes that
    ///   are not such entities, and those that the rules refuse.
    public func get(_ ids: [Element.ID]) async throws -> Answer<TreeChildren<Element>> {
        let keys = try ids.map(Element.key)
        for key in keys { try TreePath.check(key) }
        return try await reference.values(at: keys).map { values in
            var (elements, faults) = ([Element](), [DecodingFault]())
            for (key, value) in zip(keys, values) {
                do throws(DecodingFault) {
                    if let element = try Self.entity(value, key) { elements.append(element) }
                } catch {
                    faults.append(error)
                }
            }
            return TreeChildren(elements: elements, faults: faults)
        }
    }

    /// Reads all entities, in the order of their keys. A child that is not such an entity is one fault.
    public func all() async throws -> Answer<TreeChildren<Element>> {
        try await reference.value().map { TreeChildren(node: $0) }
    }

    /// Reads the entities that a query selects, in its order. A child that is not such an entity is one fault.
    public func query(_ query: TreeQuery) async throws -> Answer<TreeChildren<Element>> {
        try await reference.value(of: query).map { value in
            var children = ObservedChildren<Element>(in: query.order)
            children.apply(TreeChange(replacing: value))
            return children.snapshot
        }
    }

    /// Returns the entity of a node; nil for a node without a value.
    static func entity(_ node: JSONValue, _ key: String) throws(DecodingFault) -> Element? {
        guard node != .null else { return nil }
        do { return try Element(node: node, key: key) } catch { throw DecodingFault(error, ofChild: key) }
    }

    private static func entity(_ value: TreeValue, _ key: String) throws(DecodingFault) -> Element? {
        switch value.result {
        case .success(let node): return try entity(node, key)
        case .failure(let problem): throw DecodingFault(id: key, path: key, reason: problem.message)
        }
    }
}
