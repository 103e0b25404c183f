/// A page of changes of a part of the tree as JSON, and the position of the next page.
public struct ChangePage: Sendable {
    /// A change, and the position just after it.
    ///
    /// `{"token":"12","timestamp":1700000000000,"writes":[{"path":"/a/b","value":…}]}`; the value is null for a
    /// deletion, the time is in milliseconds since 1970.
    public struct Entry: Sendable {
        /// The position just after the change.
        public let token: SyncToken
        /// The change as one JSON object.
        public let json: [UInt8]
    }

    /// The changes, oldest first.
    public let entries: [Entry]
    /// The position at which the next page begins; changes elsewhere in the tree are skipped.
    public let next: SyncToken
    /// Whether more changes may exist already.
    public let hasMore: Bool

    /// Creates a page.
    public init(entries: [Entry], next: SyncToken, hasMore: Bool) {
        self.entries = entries
        self.next = next
        self.hasMore = hasMore
    }
}

extension TreeStore {
    /// Returns the changes at a path, above it or below it that were committed after a position, oldest first.
    ///
    /// A write above the path is shown as a write at the path.
    ///
    /// - Throws: ``TreeError`` with code `token_too_old` or `token_unknown`: start again from a snapshot.
    public func changePage(
        since token: SyncToken, at path: TreePath, limit: Int, _ form: JSONForm = .plain
    ) async throws(TreeError) -> ChangePage {
        try await read { snapshot throws(TreeError) in
            try snapshot.changePage(since: token, at: path, limit: limit, form, isPresent: false)
        }
    }

    /// The position before the oldest change that is kept; reading from there returns all changes.
    public var oldestToken: SyncToken {
        get async throws(TreeError) {
            try await read { snapshot throws(TreeError) in try snapshot.changeLog.oldestToken(in: snapshot.engine) }
        }
    }

    /// The position after the last change.
    public var token: SyncToken {
        get async throws(TreeError) { try await read { snapshot throws(TreeError) in try snapshot.token } }
    }
}

extension TreeSnapshot {
    /// Returns the changes at a path, above it or below it that were committed after a position, oldest first; see
    /// ``TreeStore/changePage(since:at:limit:_:)``.
    ///
    /// - Parameter isPresent: Whether each write shows the node's value in this state instead of the value that was
    ///   written; a deleted node has none. Rules apply to the current data, not to past data.
    package func changePage(
        since token: SyncToken, at path: TreePath, limit: Int, _ form: JSONForm, isPresent: Bool
    ) throws(TreeError) -> ChangePage {
        try path.checkDepth()
        let node = StoreFormat.dataKey(path)
        let (views, next, hasMore) = try changeLog.page(since: token, limit: limit, in: engine) {
            change throws(TreeError) -> (ChangeView, byteCount: Int)? in
            try ChangeView(change, from: node, priorities: .asWrites).map { ($0, change.byteCount) }
        }
        // The views are collected first: a snapshot can scan only one range at a time.
        var entries: [ChangePage.Entry] = []
        var byteCount = 0
        for var view in views {
            guard byteCount < ChangeLog.maxPageBytes else {
                return ChangePage(entries: entries, next: entries.last?.token ?? token, hasMore: true)
            }
            if isPresent { try view.refresh(at: node, from: engine) }
            let json = try view.json(at: node, form)
            byteCount += json.count
            entries.append(ChangePage.Entry(token: view.token, json: json))
        }
        return ChangePage(entries: entries, next: next, hasMore: hasMore)
    }

    /// Returns changes that were committed after a position, oldest first: as many as fit into a few megabytes, and at
    /// least one.
    ///
    /// - Returns: Each change as a ``Subscription`` at each of the paths delivers it, nil if it does not concern the
    ///   path; the position at which the next changes begin; and whether more may exist already.
    /// - Throws: ``TreeError`` with code `token_too_old` or `token_unknown`: start again from a snapshot.
    public func changes(
        since token: SyncToken, at paths: [TreePath]
    ) throws(TreeError) -> (changes: [[Change?]], next: SyncToken, hasMore: Bool) {
        for path in paths { try path.checkDepth() }
        let nodes = paths.map { StoreFormat.dataKey($0) }
        return try changeLog.page(since: token, in: engine) {
            change throws(TreeError) -> ([Change?], byteCount: Int)? in
            var (seen, byteCount): ([Change?], Int) = ([], 0)
            for node in nodes {
                let view = try ChangeView(change, from: node, priorities: .hidden)
                byteCount += view?.writes.reduce(0) { $0 + $1.rows.bytes.count } ?? 0
                seen.append(try view.map { view throws(TreeError) in try Change(view) })
            }
            return seen.contains { $0 != nil } ? (seen, byteCount) : nil
        }
    }
}

extension ChangeLog {
    /// The number of bytes after which a page ends.
    static let maxPageBytes = 4 << 20
    /// The largest number of changes that are read for a page.
    static let maxPageScan = 10_000

    /// Reads changes until a page is full.
    ///
    /// - Parameter read: Returns the entry for a change and its size in bytes; nil to skip the change.
    /// - Returns: The entries, the position at which the next ones begin, and whether more may exist already.
    fileprivate func page<Entry>(
        since token: SyncToken, limit: Int = .max, in snapshot: any EngineSnapshot,
        _ read: (EncodedChange) throws(TreeError) -> (Entry, byteCount: Int)?
    ) throws(TreeError) -> ([Entry], SyncToken, Bool) {
        var entries: [Entry] = []
        var (next, hasMore) = (token, false)
        var (scanned, byteCount) = (0, 0)
        try forEach(since: token, in: snapshot) { change throws(TreeError) in
            guard entries.count < limit, scanned < Self.maxPageScan, byteCount < Self.maxPageBytes else {
                hasMore = true
                return false
            }
            scanned += 1
            next = change.token
            guard let entry = try read(change) else { return true }
            byteCount += entry.byteCount
            entries.append(entry.0)
            return true
        }
        return (entries, next, hasMore)
    }
}

extension ChangeLog {
    /// Whether something at, above or below one of the nodes may have changed since a position. It also returns
    /// true if more changes exist than are read for a page.
    ///
    /// - Parameter nodes: The keys of the nodes' rows; rows after a key within its node count too.
    /// - Throws: ``TreeError`` with code `token_too_old` or `token_unknown`.
    func mayHaveChange(
        at nodes: Set<[UInt8]>, since token: SyncToken, in snapshot: any EngineSnapshot
    ) throws(TreeError) -> Bool {
        var watched = PathTrie<Void>()
        for (id, node) in nodes.enumerated() { watched.insert((), id: UInt64(id), at: node) }
        var (isFound, scanned) = (false, 0)
        try forEach(since: token, in: snapshot) { change throws(TreeError) in
            scanned += 1
            isFound = scanned > Self.maxPageScan
            for write in change.writes where !isFound {
                watched.visit(concernedBy: write.key) { _, _ in isFound = true }
            }
            return !isFound
        }
        return isFound
    }
}

extension ChangeView {
    /// Returns the change as JSON, with full paths.
    ///
    /// - Parameter node: The node that the paths of the view are relative to.
    fileprivate func json(at node: [UInt8], _ form: JSONForm) throws(TreeError) -> [UInt8] {
        var json = Array("{\"token\":\"\(token)\",\"timestamp\":\(timestamp),\"writes\":[".utf8)
        let prefix = try StoreFormat.prefixLength(of: node.span)
        for (index, write) in writes.enumerated() {
            json.append(contentsOf: (index == 0 ? "{\"path\":" : ",{\"path\":").utf8)
            let path = try [UInt8(ascii: "/")] + PathEncoding.text(of: (node + write.key).span, below: prefix)
            JSONText.append(path.span, to: &json)
            json.append(contentsOf: ",\"value\":".utf8)
            json.append(contentsOf: try write.rows.json(form))
            json.append(UInt8(ascii: "}"))
        }
        json.append(contentsOf: "]}".utf8)
        return json
    }
}
