/// Some changes of a part of the tree as JSON, and where to go on.
public struct ChangePage: Sendable {
    /// A change and the position just after it.
    ///
    /// `{"token":"12","timestamp":1700000000000,"writes":[{"path":"/a/b","value":…}]}`; the value of what has been
    /// deleted is null, the time is in milliseconds since 1970.
    public struct Entry: Sendable {
        /// The position just after the change.
        public let token: SyncToken
        /// The change as one JSON object.
        public let json: [UInt8]
    }

    /// Oldest first.
    public let entries: [Entry]
    /// Where the next page begins: changes elsewhere in the tree are passed over.
    public let next: SyncToken
    /// Whether there may be more already.
    public let hasMore: Bool

    /// Makes a page.
    public init(entries: [Entry], next: SyncToken, hasMore: Bool) {
        self.entries = entries
        self.next = next
        self.hasMore = hasMore
    }
}

extension TreeStore {
    /// How many bytes a page may have before it ends.
    private static var maxPageBytes: Int { 4 << 20 }
    /// How many changes are looked at for a page.
    private static var maxPageScan: Int { 10_000 }

    /// The changes at a path, above it and below it that were committed after a position, oldest first.
    ///
    /// A write above the path is told as one of the path itself.
    ///
    /// - Throws: ``TreeError`` with code `token_too_old` or `token_unknown`: begin anew from a snapshot.
    public func changePage(
        since token: SyncToken, at path: TreePath, limit: Int, _ form: JSONForm = .plain
    ) async throws(TreeError) -> ChangePage {
        try path.checkDepth()
        let place = StorageFormat.dataKey(path)
        return try await read { snapshot throws(TreeError) in
            var entries: [ChangePage.Entry] = []
            var next = token
            var scanned = 0
            var byteCount = 0
            var hasMore = false
            try snapshot.changeLog.forEach(since: token, in: snapshot.engine) { change throws(TreeError) in
                guard entries.count < limit, scanned < Self.maxPageScan, byteCount < Self.maxPageBytes else {
                    hasMore = true
                    return false
                }
                scanned += 1
                next = change.token
                guard let json = try change.json(seenFrom: place, form) else { return true }
                byteCount += json.count
                entries.append(ChangePage.Entry(token: change.token, json: json))
                return true
            }
            return ChangePage(entries: entries, next: next, hasMore: hasMore)
        }
    }

    /// Waits until there are changes after a position, anywhere in the store, or it is closed, or the task is cancelled.
    public func waitForChange(after token: SyncToken) async { await signal.wait(after: token) }

    /// Waits as ``waitForChange(after:)`` does, but no longer than this.
    public func waitForChange(after token: SyncToken, atMost limit: Duration) async {
        await withTaskGroup { group in
            group.addTask { await self.waitForChange(after: token) }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }

    /// The position before the oldest change that is kept: from there all of them are told.
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

extension EncodedChange {
    /// The change as JSON, as far as it concerns a place; nil if it does not.
    fileprivate func json(seenFrom place: [UInt8], _ form: JSONForm) throws(TreeError) -> [UInt8]? {
        var members: [UInt8] = []
        for write in writes {
            let isAbove = write.key.count < place.count
            guard isAbove ? place.span.starts(with: write.key.span) : write.key.span.starts(with: place.span) else {
                continue
            }
            members.append(contentsOf: (members.isEmpty ? "{\"path\":" : ",{\"path\":").utf8)
            let key = isAbove ? place : write.key
            let prefix = try StorageFormat.prefixLength(of: key.span)
            let path = try [UInt8(ascii: "/")] + PathEncoding.text(of: key.span, below: prefix)
            JSONText.append(path.span, to: &members)
            members.append(contentsOf: ",\"value\":".utf8)
            let value = try write.rows.json(below: isAbove ? Array(place[write.key.count...]) : [], form)
            members.append(contentsOf: value)
            members.append(UInt8(ascii: "}"))
        }
        guard !members.isEmpty else { return nil }
        let head = "{\"token\":\"\(token)\",\"timestamp\":\(timestampMilliseconds),\"writes\":["
        return Array(head.utf8) + members + Array("]}".utf8)
    }
}
