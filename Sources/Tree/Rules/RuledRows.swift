/// The rows of a state of the store, as far as rules look at them.
protocol RuledRows {
    /// The value of a key.
    func value(for key: [UInt8]) throws(TreeError) -> [UInt8]?

    /// The first key of a range.
    func firstKey(in range: ByteRange) throws(TreeError) -> [UInt8]?
}

/// The rows that are in the store.
struct StoredRows: RuledRows {
    let snapshot: any EngineSnapshot

    func value(for key: [UInt8]) throws(TreeError) -> [UInt8]? { try snapshot.value(for: key) }

    func firstKey(in range: ByteRange) throws(TreeError) -> [UInt8]? {
        try snapshot.firstKey(in: range, reverse: false)
    }
}

/// The rows that there would be after an update, without writing it: those of the update over those in the store.
///
/// The priority of a node that would go with its last child is still there, so rows of priorities say nothing of
/// whether a node is.
struct UpdatedRows: RuledRows {
    private let stored: StoredRows
    private let writes: [WrittenRows]

    /// - Parameter writes: The writes of an update, whose server values are filled in; ordered by key, none below
    ///   another.
    init(_ writes: [EncodedWrite], over snapshot: any EngineSnapshot) {
        stored = StoredRows(snapshot: snapshot)
        self.writes = writes.map(WrittenRows.init)
    }

    func value(for key: [UInt8]) throws(TreeError) -> [UInt8]? {
        let next = firstIndex(after: key)
        if next > 0, writes[next - 1].covers(key) { return try writes[next - 1].value(for: key) }
        return isReplacedLeaf(key, before: next) ? nil : try stored.value(for: key)
    }

    func firstKey(in range: ByteRange) throws(TreeError) -> [UInt8]? {
        let next = firstIndex(after: range.lower)
        let first = next > 0 && writes[next - 1].covers(range.lower) ? next - 1 : next
        let written = try firstWrittenKey(in: range, from: first)
        let upper = written ?? range.upper
        var lower = range.lower
        while let key = try stored.firstKey(in: ByteRange(from: lower, upTo: upper)) {
            let next = firstIndex(after: key)
            if next > 0, writes[next - 1].covers(key) {
                lower = ByteRange.subtree(writes[next - 1].key).upper
            } else if isReplacedLeaf(key, before: next) {
                lower = key + [0]
            } else {
                return key
            }
        }
        return written
    }

    private func firstWrittenKey(in range: ByteRange, from first: Int) throws(TreeError) -> [UInt8]? {
        for write in writes[first...] {
            guard write.key.span.precedes(range.upper.span) else { return nil }
            if let key = try write.firstKey(from: range.lower) {
                return key.span.precedes(range.upper.span) ? key : nil
            }
        }
        return nil
    }

    /// Whether a leaf that stands at a key gives way to an object, of which writes from an index on are parts.
    private func isReplacedLeaf(_ key: [UInt8], before index: Int) -> Bool {
        writes[index...].prefix { $0.key.span.starts(with: key.span) }.contains(where: \.makesObjectsAbove)
    }

    /// The index of the first write whose key comes after this one.
    private func firstIndex(after key: [UInt8]) -> Int {
        var (low, high) = (0, writes.count)
        while low < high {
            let middle = (low + high) / 2
            if key.span.precedes(writes[middle].key.span) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// The rows of one write, to be searched.
private final class WrittenRows {
    private let write: EncodedWrite
    private let bytes: [UInt8]
    /// The position of each row in the block, in bytes; found out when it is first asked for.
    private var positions: [Int]?

    init(_ write: EncodedWrite) {
        self.write = write
        bytes = write.rows.bytes
    }

    var key: [UInt8] { write.key }
    /// Whether objects stand above the node after the write.
    var makesObjectsAbove: Bool { !write.isPriority && !write.rows.isEmpty }

    /// Whether the row of a key is the write's to say.
    func covers(_ key: [UInt8]) -> Bool { key.starts(with: write.key) }

    /// The value of a key that the write covers.
    func value(for key: [UInt8]) throws(TreeError) -> [UInt8]? {
        let path = Array(key[write.key.count...])
        let positions = try rowPositions()
        let index = try firstIndex(notBefore: path)
        guard index < positions.count else { return nil }
        let (found, value) = try row(at: positions[index])
        return bytes[found].elementsEqual(path) ? Array(bytes[value]) : nil
    }

    /// The first key that is not before another one.
    func firstKey(from lower: [UInt8]) throws(TreeError) -> [UInt8]? {
        let positions = try rowPositions()
        let index = covers(lower) ? try firstIndex(notBefore: Array(lower[write.key.count...])) : 0
        guard index < positions.count else { return nil }
        return write.key + bytes[try row(at: positions[index]).path]
    }

    private func firstIndex(notBefore path: [UInt8]) throws(TreeError) -> Int {
        let positions = try rowPositions()
        var (low, high) = (0, positions.count)
        while low < high {
            let middle = (low + high) / 2
            if try bytes[row(at: positions[middle]).path].lexicographicallyPrecedes(path) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    private func row(at position: Int) throws(TreeError) -> (path: Range<Int>, value: Range<Int>) {
        let bytes = bytes
        var cursor = ByteCursor(offset: position)
        return (try cursor.nextRun(in: bytes.span), try cursor.nextRun(in: bytes.span))
    }

    private func rowPositions() throws(TreeError) -> [Int] {
        if let positions { return positions }
        var found: [Int] = []
        found.reserveCapacity(write.rows.count)
        let bytes = bytes
        var cursor = ByteCursor()
        while cursor.offset < bytes.count {
            found.append(cursor.offset)
            _ = try cursor.nextRun(in: bytes.span)
            _ = try cursor.nextRun(in: bytes.span)
        }
        positions = found
        return found
    }
}
