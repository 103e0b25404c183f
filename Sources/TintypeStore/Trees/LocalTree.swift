public import TintypeClient
public import TintypeModel

/// A node of the tree on the device: what was read of it is kept, and what the person writes is shown at once.
///
///     for try await events in store.tree("events").of(Event.self).all() { show(events.elements) }
///
/// While a loop over its values runs and `LocalStore.run()` is under way, the device follows the node on the service. A
/// path that the tree cannot have is an error of the loop, `TreeInputError`.
public struct LocalTree: Sendable {
    let store: LocalStore
    /// The node on the service.
    public let reference: TreeReference

    /// Returns a child of the node.
    ///
    /// - Parameter key: The key, which may come from outside: a slash in it is refused.
    public func child(_ key: String) -> LocalTree { LocalTree(store: store, reference: reference.child(key)) }

    /// Returns the children of the node as entities.
    public func of<Element: TreeEntity & Hashable>(_ type: Element.Type) -> LocalCollection<Element> {
        LocalCollection(tree: self)
    }

    /// The value; `null` if there is none, or if the device has not read it yet.
    public func value() -> LocalValues<Local<JSONValue>> {
        values { view, window in
            let shown = try view.tree(window)
            return Local(shown.node.sent, state: shown.state(of: nil), parkedWrites: shown.parkedWrites(on: nil))
        }
    }

    /// The refusal of the service to let the person read the node; nil for none. It is known while the node is shown.
    public func refusal() -> LocalValues<Problem?> { values { view, window in try view.tree(window).refusal } }

    func values<Value: Equatable & Sendable>(
        of query: TreeQuery? = nil, _ read: @escaping @Sendable (LocalView, TreeWindow) throws -> Value
    ) -> LocalValues<Value> {
        let window = Result { try TreeWindow(reference, query: query) }
        return LocalValues(store) { try read($0, window.get()) }
    }
}

/// The children of a node of the tree on the device, as entities of one type.
public struct LocalCollection<Element: TreeEntity & Hashable>: Sendable {
    let tree: LocalTree

    /// All entities, in the order of their keys.
    public func all() -> LocalValues<LocalChildren<Element>> { query(TreeQuery()) }

    /// The entities that a query selects, in its order. The person's own writes are among them if it selects them.
    public func query(_ query: TreeQuery) -> LocalValues<LocalChildren<Element>> {
        // All children are a window without a query, which the rules may allow where they do not allow a query.
        tree.values(of: query == TreeQuery() ? nil : query) { view, window in
            LocalChildren(try view.tree(window), query)
        }
    }

    /// An entity: nil if there is none or the device has not read it yet, a fault if the node is not such an entity.
    ///
    /// - Throws: `EncodingError` for an id that is not encoded as a string.
    public func get(_ id: Element.ID) throws -> LocalValues<Result<Local<Element>?, DecodingFault>> {
        let key = try Element.key(of: id)
        return tree.child(key).values { view, window in
            let shown = try view.tree(window)
            guard shown.node != .null else { return .success(nil) }
            return Result { try Element(node: shown.node.sent, key: key) }.map { element in
                Local(element, state: shown.state(of: nil), parkedWrites: shown.parkedWrites(on: nil))
            }.mapError { DecodingFault($0, ofChild: key) }
        }
    }

    /// Writes an entity in place of the node with its id. Fields of the node that the type does not know are kept if the
    /// device has read them.
    ///
    /// - Throws: `EncodingError`, `TreeInputError`, and as `LocalStore` for other writes.
    @discardableResult
    public func write(_ entity: Element) async throws -> Submission<String> {
        let key = try entity.node().key
        let window = try TreeWindow(tree.reference.child(key))
        let known = try await tree.store.view { try $0.tree(window).node }
        return try await tree.store.write(["": entity.node(replacing: known.sent).value], at: window.path)
    }

    /// Removes an entity.
    ///
    /// - Throws: `EncodingError`, `TreeInputError`, and as `LocalStore` for other writes.
    @discardableResult
    public func remove(_ id: Element.ID) async throws -> Submission<String> {
        let window = try TreeWindow(tree.reference.child(Element.key(of: id)))
        return try await tree.store.write(["": .null], at: window.path)
    }
}

/// Entities of the tree on the device.
public struct LocalChildren<Element: TreeEntity & Hashable>: Hashable, Sendable {
    /// The entities.
    public private(set) var elements: [Local<Element>] = []
    /// The children that are not such entities, each with its key as the id.
    public private(set) var faults: [DecodingFault] = []
    /// Whether the device has read them from the service, now or earlier.
    public let isRead: Bool
    /// The refusal of the service to let the person read them; nil for none. What was read earlier is still shown.
    public let refusal: Problem?

    init(_ shown: ShownTree, _ query: TreeQuery) {
        (isRead, refusal) = (shown.isRead, shown.refusal)
        for (key, child) in query.selection(from: shown.node) {
            do {
                elements.append(
                    Local(
                        try Element(node: child.sent, key: key), state: shown.state(of: key),
                        parkedWrites: shown.parkedWrites(on: key)))
            } catch {
                faults.append(DecodingFault(error, ofChild: key))
            }
        }
        if shown.node != .null, shown.node.object == nil {
            faults.append(DecodingFault(path: "", reason: "the node has no children"))
        }
    }
}

extension LocalStore {
    /// Returns a node of the tree.
    ///
    /// - Parameter path: The path, such as `events`. Keys from outside are passed to ``LocalTree/child(_:)`` instead,
    ///   which refuses a slash.
    public func tree(_ path: String) -> LocalTree { LocalTree(store: self, reference: client.tree(path)) }
}
