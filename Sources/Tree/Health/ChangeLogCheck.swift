/// A gap in the change log. A client that reads from before the gap would never receive the missing changes.
package struct ChangeGap: Hashable, Sendable {
    /// The number of the first change that is missing or incomplete.
    package let first: UInt64
    /// The number of the first change after which none is missing.
    package let end: UInt64
}

/// Finds gaps in a store's change log, and removes the changes before them.
package struct ChangeLogCheck: Sendable {
    private let tree: TreeStore

    package init(_ tree: TreeStore) { self.tree = tree }

    /// Searches the change log for gaps.
    ///
    /// - Parameter batch: The largest number of rows that are read in one state of the store.
    /// - Returns: The range from the first to the last gap; nil if no changes are missing.
    package func gap(batch: Int = 10_000) async throws(TreeError) -> ChangeGap? {
        var walk = ChangeLogWalk(batch: batch)
        var hasMore = true
        while hasMore {
            let start = walk
            (walk, hasMore) = try await tree.engine.read(.large) { snapshot throws(TreeError) in
                var walk = start
                let hasMore = try walk.look(in: snapshot)
                return (walk, hasMore)
            }
        }
        return walk.gap
    }

    /// Removes the changes before one, as if they were too old: clients that read from there must start again from a
    /// snapshot. The very last change is always kept.
    package func forgetChanges(before sequence: UInt64) async throws(TreeError) {
        try await tree.engine.write { [changeLog = tree.changeLog] transaction throws(TreeError) in
            var end = [StoreFormat.changeLogKeyspace]
            end.appendBigEndian(min(sequence, try changeLog.lastToken(in: transaction).sequence))
            try transaction.remove(ByteRange(from: [StoreFormat.changeLogKeyspace], upTo: end))
        }
    }
}

/// Walks through the change log in batches of rows and searches for gaps.
///
/// Meanwhile the log may become shorter at its beginning and longer at its end. Damage of the last change alone is
/// detected when the store is opened (``HealthCheck``).
private struct ChangeLogWalk: Sendable {
    /// A row: the number of the change and of its piece.
    private struct Row: Hashable {
        let sequence: UInt64
        let piece: UInt32

        init(_ key: Span<UInt8>) throws(TreeError) {
            sequence = try key.bigEndian(at: 1)
            piece = try key.count == 9 ? 0 : key.bigEndian(at: 9)
        }

        /// Whether this row directly follows another one.
        func follows(_ last: Row?) -> Bool {
            guard let last else { return piece == 0 }
            return sequence == last.sequence
                ? piece == last.piece &+ 1 : piece == 0 && sequence == last.sequence &+ 1
        }

        var key: [UInt8] {
            var key = [StoreFormat.changeLogKeyspace]
            key.appendBigEndian(sequence)
            if piece > 0 { key.appendBigEndian(piece) }
            return key
        }
    }

    private static let all = ByteRange(
        from: [StoreFormat.changeLogKeyspace], upTo: [StoreFormat.changeLogKeyspace + 1])

    /// The largest number of rows in a batch.
    let batch: Int
    private var last: Row?
    private var found: ChangeGap?

    init(batch: Int) { self.batch = batch }

    /// The gap in the rows so far; nil if there is none.
    var gap: ChangeGap? {
        guard let found, let last, found.first < last.sequence else { return nil }
        return ChangeGap(first: found.first, end: min(found.end, last.sequence))
    }

    /// Reads the next batch of rows.
    ///
    /// - Returns: Whether there are more.
    mutating func look(in snapshot: any EngineSnapshot) throws(TreeError) -> Bool {
        // If the last row has been dropped meanwhile because of its age, all rows before it have been dropped too.
        if let row = self.last, try snapshot.value(for: row.key) == nil { (self.last, self.found) = (nil, nil) }
        let range = self.last.map { ByteRange(from: $0.key + [0], upTo: Self.all.upper) } ?? Self.all
        var (last, found, count) = (self.last, self.found, 0)
        try snapshot.scan(range, reverse: false) { key, _ throws(TreeError) in
            let row = try Row(key)
            if !row.follows(last) {
                // A row that is not the first piece belongs to an incomplete change.
                let first = last.map { row.sequence == $0.sequence ? row.sequence : $0.sequence &+ 1 }
                found = ChangeGap(
                    first: found?.first ?? first ?? row.sequence,
                    end: row.piece > 0 ? max(row.sequence, row.sequence &+ 1) : row.sequence)
            }
            last = row
            count += 1
            return count < batch
        }
        (self.last, self.found) = (last, found)
        return count == batch
    }
}
