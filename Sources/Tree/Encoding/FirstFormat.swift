/// The first layout of a store, with a single tree, before trees had names and nodes had priorities.
///
/// It differs from ``StoreFormat`` as follows:
///
///     02 sequence   changes, in a form that is no longer read
///     10 path       the last byte of a key like "01" or "-0" is 00 with "-", else 01 (``PathEncoding``); whole numbers
///                   may be doubles (``LeafEncoding``); the service's own records are among those of its clients
package enum FirstFormat {
    private static let version: UInt8 = 1
    /// The number of rows that are held in memory at a time.
    private static let batch = 1000

    /// Whether an engine has this layout.
    package static func isUsed(by engine: any Engine) async throws(TreeError) -> Bool {
        try await engine.read { snapshot throws(TreeError) in try isUsed(in: snapshot) }
    }

    private static func isUsed(in snapshot: any EngineSnapshot) throws(TreeError) -> Bool {
        try snapshot.value(for: StoreFormat.versionKey) == [version]
    }

    /// Converts the rows of an engine to ``StoreFormat``, all or none; does nothing if they are already converted.
    ///
    /// Positions in the change log continue, but earlier changes are no longer available.
    ///
    /// - Parameters:
    ///   - records: The top-level keys of the service's own records.
    ///   - namespace: The tree to move these records to.
    /// - Throws: ``TreeError`` with code `corrupt` for malformed rows, or the engine's failure.
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

    /// Returns the path of a row in the current encoding.
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

    /// Removes all changes but the last, and empties that one, so that numbering continues after it.
    private static func forgetChanges(in transaction: any EngineTransaction) throws(TreeError) {
        let log = ByteRange.subtree([StoreFormat.changeLogKeyspace])
        guard let last = try transaction.firstKey(in: log, reverse: true),
            let timestamp = try transaction.value(for: last)?.prefix(8)
        else { return }
        try transaction.remove(log)
        try transaction.put(timestamp + [0], for: last)
    }
}
