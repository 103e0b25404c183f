/// Changes that are missing between others in the change log. Whoever asks for what came after an earlier one never hears of them.
package struct ChangeGap: Hashable, Sendable {
    /// The number of the first change that is missing, or not whole.
    package let first: UInt64
    /// The number of the first change behind which none is missing.
    package let end: UInt64
}

/// Looks for changes that are missing in a store's change log, and forgets what came before them.
package struct ChangeLogCheck: Sendable {
    private let tree: TreeStore

    package init(_ tree: TreeStore) { self.tree = tree }

    /// Looks for changes that are missing in the change log.
    ///
    /// - Parameter batch: The most rows that are read in one state of the store.
    /// - Returns: What is missing, up to the last change behind which nothing is; nil where nothing is missing.
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

    /// Forgets the changes before one, as those that are too old: whoever asks for what came after one of them begins anew. The last
    /// change of all stays in any case.
    package func forgetChanges(before sequence: UInt64) async throws(TreeError) {
        try await tree.engine.write { [changeLog = tree.changeLog] transaction throws(TreeError) in
            var end = [StoreFormat.changeLogKeyspace]
            end.appendBigEndian(min(sequence, try changeLog.lastToken(in: transaction).sequence))
            try transaction.remove(ByteRange(from: [StoreFormat.changeLogKeyspace], upTo: end))
        }
    }
}

/// Looks through the change log, some rows at a time, for changes that are missing between others.
///
/// The log may become shorter at its beginning meanwhile, and longer at its end. What is wrong with the last change alone is noticed
/// when the store is opened (``HealthCheck``).
private struct ChangeLogWalk: Sendable {
    /// A row: the change, and which piece of it.
    private struct Row: Hashable {
        let sequence: UInt64
        let piece: UInt32

        init(_ key: Span<UInt8>) throws(TreeError) {
            sequence = try key.bigEndian(at: 1)
            piece = try key.count == 9 ? 0 : key.bigEndian(at: 9)
        }

        /// Whether this row comes behind another one, with none between.
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

    /// The most rows of one look.
    let batch: Int
    private var last: Row?
    private var found: ChangeGap?

    init(batch: Int) { self.batch = batch }

    /// The gap behind the last row that was looked at; nil where there is none.
    var gap: ChangeGap? {
        guard let found, let last, found.first < last.sequence else { return nil }
        return ChangeGap(first: found.first, end: min(found.end, last.sequence))
    }

    /// Looks at the next rows.
    ///
    /// - Returns: Whether there are more.
    mutating func look(in snapshot: any EngineSnapshot) throws(TreeError) -> Bool {
        // Where the last row has grown too old meanwhile, it and all before it are gone.
        if let row = self.last, try snapshot.value(for: row.key) == nil { (self.last, self.found) = (nil, nil) }
        let range = self.last.map { ByteRange(from: $0.key + [0], upTo: Self.all.upper) } ?? Self.all
        var (last, found, count) = (self.last, self.found, 0)
        try snapshot.scan(range, reverse: false) { key, _ throws(TreeError) in
            let row = try Row(key)
            if !row.follows(last) {
                // A row that is no beginning is of a change that is not whole.
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
