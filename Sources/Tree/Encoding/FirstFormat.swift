/// The first layout of a store, of which there was one tree only: from before trees had names and nodes priorities.
///
/// It differs from ``StoreFormat`` in these:
///
///     02 sequence   changes, in a form that is not read any more
///     10 path       the last byte of a key like "01" or "-0" is 00 with "-", else 01 (``PathEncoding``); a whole number may
///                   be a double (``LeafEncoding``); the service's own records stand among those of its clients
package enum FirstFormat {
    private static let version: UInt8 = 1
    /// How many rows are in memory at a time.
    private static let batch = 1000

    /// Whether the rows of an engine are laid out so.
    package static func isUsed(by engine: any Engine) async throws(TreeError) -> Bool {
        try await engine.read { snapshot throws(TreeError) in try isUsed(in: snapshot) }
    }

    private static func isUsed(in snapshot: any EngineSnapshot) throws(TreeError) -> Bool {
        try snapshot.value(for: StoreFormat.versionKey) == [version]
    }

    /// Lays the rows of an engine out as ``StoreFormat`` says, all or none; does nothing where they are already.
    ///
    /// Positions in the change log go on from where they were; what was changed before cannot be asked for any more.
    ///
    /// - Parameters:
    ///   - records: The service's own records, by the keys at which they stand.
    ///   - namespace: The tree that they are to be in.
    /// - Throws: ``TreeError`` with code `corrupt` for what is no row, or the engine's failure.
    package static func bringForward(
        _ engine: any Engine, moving records: [TreeKey], to namespace: Namespace
    ) async throws(TreeError) {
        try await engine.write { transaction throws(TreeError) in
            guard try isUsed(in: transaction) else { return }
            let own = records.map { StoreFormat.dataKey(TreePath([$0])) }
            let prefix = StoreFormat.prefix(of: namespace)
            try rewriteRows(in: transaction) { key throws(TreeError) in
                let path = try path(key)
                return own.contains { key.starts(with: $0) } ? prefix + path : [StoreFormat.mainKeyspace] + path
            }
            try forgetChanges(in: transaction)
            try transaction.put([StoreFormat.version], for: StoreFormat.versionKey)
        }
    }

    private static func rewriteRows(
        in transaction: any EngineTransaction, _ newKey: ([UInt8]) throws(TreeError) -> [UInt8]
    ) throws(TreeError) {
        var rest = ByteRange.subtree([StoreFormat.mainKeyspace])
        while true {
            var rows: [(key: [UInt8], leaf: [UInt8])] = []
            try transaction.scan(rest, reverse: false) { key, leaf in
                rows.append((key.copied, leaf.copied))
                return rows.count < batch
            }
            guard let last = rows.last else { return }
            for row in rows {
                let (key, leaf) = (try newKey(row.key), LeafEncoding.encode(try LeafEncoding.decode(row.leaf.span)))
                guard let leaf, key != row.key || leaf != row.leaf else { continue }
                try transaction.remove(.only(row.key))
                try transaction.put(leaf, for: key)
            }
            rest = ByteRange(from: last.key + [0], upTo: rest.upper)
        }
    }

    /// The path of a row, as it is written today.
    private static func path(_ key: [UInt8]) throws(TreeError) -> [UInt8] {
        var path = Array(key.dropFirst())
        var end = 0
        while end < path.count {
            let start = end
            end = try PathEncoding.segmentEnd(in: path.span, from: start)
            guard PathEncoding.isOtherTextOfInteger(path.span.extracting(start..<end)), path[end - 1] < 2 else {
                continue
            }
            path[end - 1] += 2
        }
        return path
    }

    /// Leaves the last change alone, without what it wrote: the next one has the number behind it.
    private static func forgetChanges(in transaction: any EngineTransaction) throws(TreeError) {
        let log = ByteRange.subtree([StoreFormat.changeLogKeyspace])
        guard let last = try transaction.firstKey(in: log, reverse: true),
            let timestamp = try transaction.value(for: last)?.prefix(8)
        else { return }
        try transaction.remove(log)
        try transaction.put(timestamp + [0], for: last)
    }
}
