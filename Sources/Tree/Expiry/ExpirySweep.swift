/// The work that expired nodes make.
struct ExpirySweep {
    /// The most nodes that one sweep takes.
    static let maxNodes = 256

    /// Deletions, one for each tree.
    private(set) var updates: [EncodedUpdate] = []
    /// Entries that count no more: the rules give the node no time to live now, or another entry is newer.
    private(set) var stale: [ExpiryTable.Entry] = []
    /// Whether nothing will expire.
    private(set) var isTableEmpty = true

    /// Looks for them in a state of the store.
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
        // What lies below another one goes with it.
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
