/// The rows of a state of the store, as rules read them.
protocol RuledRows {
    /// Returns the value of a key; nil if the row does not exist.
    func value(for key: [UInt8]) throws(TreeError) -> [UInt8]?

    /// Returns the first key in a range; nil if the range is empty.
    func firstKey(in range: ByteRange) throws(TreeError) -> [UInt8]?

    /// Whether a leaf exists at a key or below it.
    func hasLeaf(at key: [UInt8]) throws(TreeError) -> Bool
}

extension RuledRows {
    func hasLeaf(at key: [UInt8]) throws(TreeError) -> Bool { try firstLeafKey(in: .subtree(key)) != nil }

    /// Returns the key of the first leaf in a range; nil if there is none.
    func firstLeafKey(in range: ByteRange) throws(TreeError) -> [UInt8]? {
        var lower = range.lower
        while let row = try firstKey(in: ByteRange(from: lower, upTo: range.upper)) {
            guard row.last == PathEncoding.priorityTag else { return row }
            lower = row + [0]
        }
        return nil
    }
}

/// The rows in the store.
struct StoredRows: RuledRows {
    let snapshot: any EngineSnapshot

    func value(for key: [UInt8]) throws(TreeError) -> [UInt8]? { try snapshot.value(for: key) }

    func firstKey(in range: ByteRange) throws(TreeError) -> [UInt8]? {
        try snapshot.firstKey(in: range, reverse: false)
    }
}

/// The rows as they would be after an update, without writing it: the rows of the update over those in the store.
///
/// The store is searched only for rows that the update does not determine. A priority row is still present when its
/// node vanishes with its last child, so priority rows do not show whether a node exists.
struct UpdatedRows: RuledRows {
    private let stored: StoredRows
    private let writes: [WrittenRows]

    /// - Parameter writes: The writes of an update, with server values resolved; in key order, none below another.
    init(_ writes: [EncodedWrite], over snapshot: any EngineSnapshot) throws(TreeError) {
        stored = StoredRows(snapshot: snapshot)
        var rows: [WrittenRows] = []
        for write in writes { rows.append(try WrittenRows(write)) }
        self.writes = rows
    }

    func value(for key: [UInt8]) throws(TreeError) -> [UInt8]? {
        let next = firstIndex(after: key)
        if let write = covering(key, before: next) { return try write.value(for: key) }
        return isObject(key, before: next) ? nil : try stored.value(for: key)
    }

    func hasLeaf(at key: [UInt8]) throws(TreeError) -> Bool {
        let next = firstIndex(after: key)
        if let write = covering(key, before: next) { return try write.hasLeaf(at: key) }
        if isObject(key, before: next) { return true }
        return try firstLeafKey(in: .subtree(key)) != nil
    }

    func firstKey(in range: ByteRange) throws(TreeError) -> [UInt8]? {
        let next = firstIndex(after: range.lower)
        let top = covering(range.lower, before: next)
        let written = try firstWrittenKey(in: range, from: top == nil ? next : next - 1)
        let upper = written ?? range.upper
        var lower = top.map { ByteRange.subtree($0.key).upper } ?? range.lower
        while lower.span.precedes(upper.span), let key = try stored.firstKey(in: ByteRange(from: lower, upTo: upper)) {
            let next = firstIndex(after: key)
            if let write = covering(key, before: next) {
                lower = ByteRange.subtree(write.key).upper
            } else if isObject(key, before: next) {
                lower = key + [0]
            } else {
                return key
            }
        }
        return written
    }

    /// Returns the first key in a range among the rows of the write with this index.
    func firstKey(in range: ByteRange, ofWrite index: Int) throws(TreeError) -> [UInt8]? {
        guard range.lower.span.precedes(range.upper.span), let key = try writes[index].firstKey(from: range.lower)
        else { return nil }
        return key.span.precedes(range.upper.span) ? key : nil
    }

    /// Returns the first key in a range among the rows of the writes from an index on.
    private func firstWrittenKey(in range: ByteRange, from first: Int) throws(TreeError) -> [UInt8]? {
        for write in writes[first...] {
            guard write.key.span.precedes(range.upper.span) else { return nil }
            if let key = try write.firstKey(from: range.lower) {
                return key.span.precedes(range.upper.span) ? key : nil
            }
        }
        return nil
    }

    /// Returns the write whose node is at the key or above it: the last write whose key is not after this one; nil if
    /// there is none.
    private func covering(_ key: [UInt8], before index: Int) -> WrittenRows? {
        guard index > 0, writes[index - 1].covers(key) else { return nil }
        return writes[index - 1]
    }

    /// Whether the writes from an index on turn the node at a key into an object, even if a leaf is stored
    /// there.
    private func isObject(_ key: [UInt8], before index: Int) -> Bool {
        for write in writes[index...] {
            guard write.key.span.starts(with: key.span) else { return false }
            if write.makesObjectsAbove { return true }
        }
        return false
    }

    /// Returns the index of the first write whose key is after this one.
    private func firstIndex(after key: [UInt8]) -> Int {
        var (low, high) = (0, writes.count)
        while low < high {
            let middle = (low + high) / 2
            if key.span.precedes(writes[middle].key.span) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// The rows of one write, in searchable form.
private final class WrittenRows {
    private let write: EncodedWrite
    private let bytes: [UInt8]
    /// The offset of each row in the block, in bytes.
    private let positions: [Int]

    init(_ write: EncodedWrite) throws(TreeError) {
        let bytes = write.rows.bytes
        var positions: [Int] = []
        positions.reserveCapacity(write.rows.count)
        var cursor = ByteCursor()
        while cursor.offset < bytes.count {
            positions.append(cursor.offset)
            _ = try cursor.nextRun(in: bytes.span)
            _ = try cursor.nextRun(in: bytes.span)
        }
        (self.write, self.bytes, self.positions) = (write, bytes, positions)
    }

    var key: [UInt8] { write.key }
    /// Whether the nodes above the written node are objects after the write.
    var makesObjectsAbove: Bool { !write.isPriority && !write.rows.isEmpty }

    /// Whether the write determines the row of a key.
    func covers(_ key: [UInt8]) -> Bool {
        let node = write.key
        return key.span.starts(with: node.span)
    }

    /// Returns the value of a key that the write covers; nil if the row does not exist.
    func value(for key: [UInt8]) throws(TreeError) -> [UInt8]? {
        let key = key.span
        let path = key.extracting(droppingFirst: write.key.count)
        let index = try firstIndex(notBefore: path)
        guard index < positions.count else { return nil }
        let bytes = bytes
        let row = try row(at: positions[index])
        return bytes.span.extracting(row.path).hasSameBytes(as: path) ? Array(bytes[row.value]) : nil
    }

    /// Whether a leaf exists at a key that the write covers, or below it.
    func hasLeaf(at key: [UInt8]) throws(TreeError) -> Bool {
        let bytes = bytes
        let key = key.span
        let path = key.extracting(droppingFirst: write.key.count)
        for position in positions[try firstIndex(notBefore: path)...] {
            let found = try row(at: position).path
            guard bytes.span.extracting(found).starts(with: path) else { return false }
            if found.isEmpty || bytes[found.upperBound - 1] != PathEncoding.priorityTag { return true }
        }
        return false
    }

    /// Returns the first key that is not before another one; nil if there is none.
    func firstKey(from lower: [UInt8]) throws(TreeError) -> [UInt8]? {
        let covered = lower.span
        let index =
            try covers(lower) ? firstIndex(notBefore: covered.extracting(droppingFirst: write.key.count)) : 0
        guard index < positions.count else { return nil }
        return write.key + bytes[try row(at: positions[index]).path]
    }

    private func firstIndex(notBefore path: Span<UInt8>) throws(TreeError) -> Int {
        let bytes = bytes
        var (low, high) = (0, positions.count)
        while low < high {
            let middle = (low + high) / 2
            if try bytes.span.extracting(row(at: positions[middle]).path).precedes(path) {
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
}
