/// The times at which nodes expire, stored twice: by time, to find the nodes that are due, and by path, to find the
/// time of a node.
///
///     13 time(8) key of the node   → id(8) of the rule's time to live
///     14 key of the node           → time(8) id(8)
///
/// The time is in milliseconds since 1970. Numbers are big endian.
enum ExpiryTable {
    struct Entry: Hashable {
        /// The key of the node's row.
        let node: [UInt8]
        let timestampMilliseconds: UInt64
        /// The id of the time to live; see ``RulesCatalog/Expiry``.
        let id: UInt64

        fileprivate var keyByTime: [UInt8] {
            var key = [StoreFormat.expiryByTimeKeyspace]
            key.appendBigEndian(timestampMilliseconds)
            return key + node
        }

        fileprivate var keyByPath: [UInt8] { [StoreFormat.expiryByPathKeyspace] + node }
    }

    /// Returns the expiry of a node; nil if it has none.
    static func entry(of node: [UInt8], in snapshot: any EngineSnapshot) throws(TreeError) -> Entry? {
        guard let row = try snapshot.value(for: [StoreFormat.expiryByPathKeyspace] + node) else { return nil }
        return Entry(
            node: node, timestampMilliseconds: try row.span.bigEndian(at: 0), id: try row.span.bigEndian(at: 8))
    }

    static func add(_ entry: Entry, in transaction: any EngineTransaction) throws(TreeError) {
        var (id, row): ([UInt8], [UInt8]) = ([], [])
        id.appendBigEndian(entry.id)
        row.appendBigEndian(entry.timestampMilliseconds)
        try transaction.put(id, for: entry.keyByTime)
        try transaction.put(row + id, for: entry.keyByPath)
    }

    /// Removes an entry; a different entry of the same node stays.
    static func remove(_ entry: Entry, in transaction: any EngineTransaction) throws(TreeError) {
        try transaction.remove(.only(entry.keyByTime))
        guard try self.entry(of: entry.node, in: transaction) == entry else { return }
        try transaction.remove(.only(entry.keyByPath))
    }

    /// Removes the entries of a node and of all nodes below it.
    static func removeAll(below node: [UInt8], in transaction: any EngineTransaction) throws(TreeError) {
        let rows = ByteRange.subtree([StoreFormat.expiryByPathKeyspace] + node)
        var entries: [Entry] = []
        try transaction.scan(rows, reverse: false) { key, row throws(TreeError) in
            entries.append(
                Entry(
                    node: key.extracting(droppingFirst: 1).copied, timestampMilliseconds: try row.bigEndian(at: 0),
                    id: try row.bigEndian(at: 8)))
            return true
        }
        guard !entries.isEmpty else { return }
        for entry in entries { try transaction.remove(.only(entry.keyByTime)) }
        try transaction.remove(rows)
    }

    /// Returns the earliest entries, in order of time.
    static func first(_ limit: Int, in snapshot: any EngineSnapshot) throws(TreeError) -> [Entry] {
        let rows = ByteRange(
            from: [StoreFormat.expiryByTimeKeyspace], upTo: [StoreFormat.expiryByTimeKeyspace + 1])
        var entries: [Entry] = []
        try snapshot.scan(rows, reverse: false) { key, row throws(TreeError) in
            entries.append(
                Entry(
                    node: key.extracting(droppingFirst: 9).copied, timestampMilliseconds: try key.bigEndian(at: 1),
                    id: try row.bigEndian(at: 0)))
            return entries.count < limit
        }
        return entries
    }
}
