import TintypeModel

/// A part of the tree as a person sees it.
struct ShownTree {
    /// The node, as the tree has it.
    var node: JSONValue
    /// Whether the device has read it from the service.
    var isRead: Bool
    /// The children that a write changes of which the service has not answered; nil for the node itself.
    var waiting: Set<String?> = []
    /// The writes that wait for the person, by the children that they concern; nil for the node itself.
    var parked: [String?: [WriteID]] = [:]
    /// The refusal of the service to let the person read it; nil for none.
    var refusal: Problem?
    /// The node without the writes.
    let base: JSONValue

    /// Returns how far a child is known to the service; nil for the node itself.
    func state(of child: String?) -> LocalState {
        let isWaiting = waiting.contains(child) || waiting.contains(nil) || child == nil && !waiting.isEmpty
        guard isWaiting else { return .upToDate }
        return (child.map { base[$0] ?? .null } ?? base) == .null ? .toBeAdded : .toBeUpdated
    }

    /// Returns the writes on a child that wait for the person; nil for the node itself.
    func parkedWrites(on child: String?) -> [WriteID] {
        guard let child else { return Set(parked.values.joined()).sorted() }
        return ((parked[child] ?? []) + (parked[nil] ?? [])).sorted()
    }
}

extension LocalView {
    /// Returns a part of the tree as the person sees it: the state of the service with the person's writes laid over it
    /// that it does not include.
    func tree(_ window: TreeWindow) throws -> ShownTree {
        follow(.tree(window))
        for subject in window.subjects { depend(on: subject) }
        let stored = try records.entity(window.subject) ?? copy(of: window)
        var tree = stored?.value ?? StoredTree(keys: window.keys, node: .null)
        var shown = ShownTree(node: tree.node, isRead: stored != nil, base: tree.node)
        for queued in try records.writes(overlapping: window.keys) {
            guard case .tree(let write) = queued.write else { continue }
            if case .sent(let change?, _) = queued.state, let stored, change <= stored.number { continue }
            for change in write.changes {
                var changed = tree
                let (isApplied, child) = changed.apply(change.value, at: change.path, queued)
                guard isApplied else { continue }
                if queued.isShown {
                    tree = changed
                    if !queued.isSent { shown.waiting.insert(child) }
                } else {
                    let id = WriteID(rawValue: queued.number)
                    if shown.parked[child]?.last != id { shown.parked[child, default: []].append(id) }
                }
            }
        }
        shown.node = tree.node
        shown.refusal = refusal(of: window.subject)
        return shown
    }

    /// Returns a node as it is in a list of children that the device has, such as the one from which a person opens it.
    private func copy(of window: TreeWindow) throws -> StoredEntity<StoredTree>? {
        guard window.query == nil, let key = window.keys.last else { return nil }
        var latest: StoredEntity<StoredTree>?
        for (recordKey, parent) in try records.trees(at: window.keys.dropLast()) {
            depend(on: .record(recordKey))
            guard let node = parent.value.node[key], parent.number > latest?.number ?? -1 else { continue }
            latest = StoredEntity(StoredTree(keys: window.keys, node: node), number: parent.number)
        }
        return latest
    }
}
