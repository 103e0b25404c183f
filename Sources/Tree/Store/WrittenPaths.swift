/// The nodes that a change has written, as seen from several nodes: without values, so that many changes can be looked
/// through at a low cost.
public struct WrittenPaths: Sendable {
    /// A written node.
    public struct Write: Sendable, Hashable {
        /// The path below the node from which it is seen; the root if that node was written, or one above it.
        public let path: TreePath
        /// Whether nothing was left there.
        public let isDeletion: Bool
    }

    /// The position just after the change.
    public let token: SyncToken
    /// The writes as seen from each of the nodes, in the order of their paths.
    public let seen: [[Write]]

    /// Reads the writes in a row of the change log; nil if none is at, below or above one of the nodes.
    fileprivate init?(_ row: Span<UInt8>, token: SyncToken, from nodes: [[UInt8]]) throws(TreeError) {
        var seen: [[Write]]?
        try EncodedChange.forEachWrite(in: row) { key, rows, count throws(TreeError) in
            guard key.count > 0, key[key.count - 1] != PathEncoding.priorityTag else { return }
            var block = RowBlock()
            for (index, node) in nodes.enumerated() {
                let write: Write
                if key.starts(with: node.span) {
                    let path = TreePath(try PathEncoding.decodeKeys(key.extracting(droppingFirst: node.count)))
                    write = Write(path: path, isDeletion: count == 0)
                } else if node.span.starts(with: key) {
                    if block.count < count { block = RowBlock(bytes: rows.copied, count: count) }
                    let isDeletion = try block.block(below: Array(node[key.count...])).isEmpty
                    write = Write(path: TreePath([]), isDeletion: isDeletion)
                } else {
                    continue
                }
                if seen == nil { seen = Array(repeating: [], count: nodes.count) }
                seen?[index].append(write)
            }
        }
        guard let seen else { return nil }
        self.token = token
        self.seen = seen
    }
}

/// The nodes that were written after a position, oldest change first: as many changes as can be looked through quickly.
public struct WrittenPathsPage: Sendable {
    /// The changes.
    public let changes: [WrittenPaths]
    /// The position at which the next changes begin.
    public let next: SyncToken
    /// Whether more may exist already.
    public let hasMore: Bool

    /// Reads a page.
    ///
    /// - Parameter paths: The nodes at, above and below which writes are seen.
    /// - Throws: ``TreeError`` with code `token_too_old` or `token_unknown`: start again from a snapshot.
    public init(since token: SyncToken, at paths: [TreePath], in snapshot: TreeSnapshot) throws(TreeError) {
        for path in paths { try path.checkDepth() }
        let nodes = paths.map { StoreFormat.dataKey($0) }
        var changes: [WrittenPaths] = []
        var (next, hasMore, scanned, byteCount) = (token, false, 0, 0)
        try snapshot.changeLog.forEachRow(since: token, in: snapshot.engine) { row, token throws(TreeError) in
            guard scanned < ChangeLog.maxPageScan, byteCount < ChangeLog.maxPageBytes else {
                hasMore = true
                return false
            }
            scanned += 1
            byteCount += row.count
            next = token
            if let change = try WrittenPaths(row, token: token, from: nodes) { changes.append(change) }
            return true
        }
        (self.changes, self.next, self.hasMore) = (changes, next, hasMore)
    }
}
