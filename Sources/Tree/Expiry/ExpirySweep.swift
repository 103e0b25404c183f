/// The work due for expired nodes: the deletions, and the outdated entries to remove.
struct ExpirySweep {
    /// The largest number of expiry entries that one sweep reads.
    static let maxNodes = 256

    /// The deletions of expired nodes, one update per tree.
    private(set) var updates: [EncodedUpdate] = []
    /// The entries that are no longer valid: the rules now give the node no time to live, or a newer entry exists.
    private(set) var stale: [ExpiryTable.Entry] = []
    /// Whether the expiry table is empty, so that no node will expire.
    private(set) var isTableEmpty = true

    /// Finds the expired nodes in a state of the store.
    init(at timestamp: Timestamp, rules: RulesCache, in snapshot: any EngineSnapshot) throws(TreeError) {
        var due: [Namespace: [[UInt8]]] = [:]
        for entry in try ExpiryTable.first(Self.maxNodes, in: snapshot) {
            isTableEmpty = false
            guard entry.timestampMilliseconds <= UInt64(max(0, timestamp.milliseconds)) else { break }
            let namespace = try StoreFormat.namespace(ofDataKey: entry.node.span)
            let now = try rules.rules(of: namespace, in: snapshot)?.expiry(of: entry.node, writtenAt: .epoch)
            if now?.id == entry.id, try ExpiryTable.entry(of: entry.node, in: snapshot) == entry {
                due[namespace, default: []].append(entry.node)
            } else {
                stale.append(entry)
            }
        }
        for (namespace, nodes) in due { updates.append(try Self.deletion(of: nodes, in: namespace)) }
    }

    var isDone: Bool { updates.isEmpty && stale.isEmpty }

    private static func deletion(
        of nodes: [[UInt8]], in namespace: Namespace
    ) throws(TreeError) -> EncodedUpdate {
        var writes: [EncodedWrite] = []
        // A node below another expired node is deleted with it.
        for node in nodes.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            if let last = writes.last, node.starts(with: last.key) { continue }
            writes.append(EncodedWrite(key: node, rows: RowBlock()))
        }
        let top = StoreFormat.prefix(of: namespace)
        var update = try EncodedUpdate(writes: writes, origin: writes.count == 1 ? .put : .patch(below: top))
        update.isExpiry = true
        return update
    }
}
