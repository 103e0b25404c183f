extension EngineTransaction {
    /// Replaces what is at a place.
    ///
    /// - Returns: Whether anything is there that was not, or the other way round.
    func apply(_ write: EncodedWrite) throws(TreeError) -> Bool {
        if write.isPriority { return try applyPriority(write) }
        switch try lastRow(upTo: write) {
        case .same:
            return false
        case .leaf where write.rows.onlyLeaf != nil:
            break
        case .leaf, .inside:
            guard !write.rows.isEmpty else {
                try remove(.subtree(write.key))
                try removeOrphanedPriorities(above: write.key)
                return true
            }
            guard try !hasSameRows(as: write) else { return false }
            try remove(.subtree(write.key))
        case .above(let leaf):
            guard !write.rows.isEmpty else { return false }
            try remove(.only(leaf))
        case .elsewhere:
            guard !write.rows.isEmpty else { return false }
        }
        try putRows(of: write)
        return true
    }

    private func putRows(of write: EncodedWrite) throws(TreeError) {
        var key = write.key
        try write.rows.forEach { path, value throws(TreeError) in
            key.removeSubrange(write.key.count...)
            key.append(path)
            try put(value, for: key.span)
            return true
        }
    }

    /// Sets or removes the priority of a node; what is not there has none.
    private func applyPriority(_ write: EncodedWrite) throws(TreeError) -> Bool {
        let new = write.rows.onlyLeaf.map { Array(write.rows.bytes[$0]) }
        guard new != (try value(for: write.key)), try !isEmpty(.subtree(Array(write.key.dropLast()))) else {
            return false
        }
        if let new { try put(new, for: write.key) } else { try remove(.only(write.key)) }
        return true
    }

    private func hasSameRows(as write: EncodedWrite) throws(TreeError) -> Bool {
        var rest = RowCursor(write.rows)
        var isSame = true
        try scan(.subtree(write.key), reverse: false) { key, value throws(TreeError) in
            isSame = try rest.next(isPath: key.extracting(droppingFirst: write.key.count), value: value)
            return isSame
        }
        return isSame && rest.isAtEnd
    }

    /// Removes the priorities of the objects on the way to a place that have lost their last child.
    private func removeOrphanedPriorities(above key: [UInt8]) throws(TreeError) {
        var key = key
        while true {
            var orphan: [UInt8]?
            try scan(ByteRange(from: [key[0]], upTo: key), reverse: true) { predecessor, _ throws(TreeError) in
                let node = predecessor.extracting(droppingLast: 1)
                let isPriority = predecessor[predecessor.count - 1] == PathEncoding.priorityTag
                if isPriority, key.span.starts(with: node) { orphan = predecessor.copied }
                return false
            }
            guard let orphan else { return }
            let node = Array(orphan.dropLast())
            let rest = ByteRange(from: orphan + [0], upTo: ByteRange.subtree(node).upper)
            guard try value(for: node) == nil, try isEmpty(rest) else { return }
            try remove(.only(orphan))
            key = node
        }
    }
}

// MARK: What is there

/// The last row at a place, below it or before it: it tells all that a write has to know.
private enum LastRow {
    /// At the place there is the leaf that is written, and nothing else.
    case same
    /// At the place there is a leaf, and nothing else.
    case leaf
    /// Something is below the place.
    case inside
    /// Nothing is; a leaf stands where an object would have to be.
    case above(leaf: [UInt8])
    case elsewhere
}

extension EngineTransaction {
    private func lastRow(upTo write: EncodedWrite) throws(TreeError) -> LastRow {
        let place = write.key
        var found = LastRow.elsewhere
        var priority: [UInt8]?
        let range = ByteRange(from: [place[0]], upTo: ByteRange.subtree(place).upper)
        try scan(range, reverse: true) { key, value throws(TreeError) in
            if key.starts(with: place.span) {
                // The commonest of all: one leaf takes the place of another.
                let isLeaf = key.count == place.count
                let isSame = isLeaf && write.rows.isOnlyLeaf(value)
                found = isSame ? .same : isLeaf ? .leaf : .inside
            } else if place.span.starts(with: key) {
                found = .above(leaf: key.copied)
            } else if key[key.count - 1] == PathEncoding.priorityTag,
                place.span.starts(with: key.extracting(droppingLast: 1))
            {
                priority = key.extracting(droppingLast: 1).copied
            }
            return false
        }
        // Between a leaf and what would be below it there is only its priority.
        if let node = priority, try value(for: node) != nil { found = .above(leaf: node) }
        return found
    }
}

extension RowBlock {
    /// Where the value of the only row lies, if that is a leaf at the place itself.
    fileprivate var onlyLeaf: Range<Int>? {
        var cursor = ByteCursor()
        guard count == 1, let path = try? cursor.nextRun(in: bytes.span), path.isEmpty else { return nil }
        return try? cursor.nextRun(in: bytes.span)
    }

    /// Whether the only row is a leaf at the place itself, with this value.
    fileprivate func isOnlyLeaf(_ value: Span<UInt8>) -> Bool {
        guard let leaf = onlyLeaf else { return false }
        return bytes.span.extracting(leaf).hasSameBytes(as: value)
    }
}

/// Walks through the rows of a block beside those of the store.
private struct RowCursor {
    private let rows: RowBlock
    private var cursor = ByteCursor()

    init(_ rows: RowBlock) { self.rows = rows }

    var isAtEnd: Bool { cursor.offset == rows.bytes.count }

    /// Whether the next row is this one.
    mutating func next(isPath path: Span<UInt8>, value: Span<UInt8>) throws(TreeError) -> Bool {
        guard !isAtEnd else { return false }
        let rows = rows
        let bytes = rows.bytes.span
        let rowPath = try cursor.nextRun(in: bytes)
        let rowValue = try cursor.nextRun(in: bytes)
        return bytes.extracting(rowPath).hasSameBytes(as: path) && bytes.extracting(rowValue).hasSameBytes(as: value)
    }
}
