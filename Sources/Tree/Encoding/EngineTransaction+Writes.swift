extension EngineTransaction {
    /// Replaces the value of a node.
    ///
    /// - Returns: Whether the write changed anything.
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

    /// Removes the leaf at an ancestor that the write turns into an object.
    func removeLeaf(above write: EncodedWrite) throws(TreeError) {
        if case .above(let leaf) = try lastRow(upTo: write) { try remove(.only(leaf)) }
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

    /// Sets or removes the priority of a node; a missing node has no priority.
    private func applyPriority(_ write: EncodedWrite) throws(TreeError) -> Bool {
        let new = write.rows.onlyLeaf.map { Array(write.rows.bytes[$0]) }
        guard new != (try value(for: write.key)), try !isEmpty(.subtree(Array(write.key.dropLast()))) else {
            return false
        }
        if let new { try put(new, for: write.key) } else { try remove(.only(write.key)) }
        return true
    }

    /// Removes the priorities of a node's ancestors that have lost their last child.
    func removeOrphanedPriorities(above key: [UInt8]) throws(TreeError) {
        var key = key
        while true {
            guard let orphan = try firstKey(in: ByteRange(from: [key[0]], upTo: key), reverse: true),
                orphan.last == PathEncoding.priorityTag, case let node = Array(orphan.dropLast()),
                key.span.starts(with: node.span)
            else { return }
            let rest = ByteRange(from: orphan + [0], upTo: ByteRange.subtree(node).upper)
            guard try value(for: node) == nil, try isEmpty(rest) else { return }
            try remove(.only(orphan))
            key = node
        }
    }
}

// MARK: Current rows

extension EngineSnapshot {
    /// Whether the node of a write already has the rows of the write.
    func hasSameRows(as write: EncodedWrite) throws(TreeError) -> Bool {
        var rest = RowCursor(write.rows)
        var isSame = true
        try scan(.subtree(write.key), reverse: false) { key, value throws(TreeError) in
            isSame = try rest.next(isPath: key.extracting(droppingFirst: write.key.count), value: value)
            return isSame
        }
        return isSame && rest.isAtEnd
    }
}

extension EncodedWrite {
    /// Returns those of some existing nodes below the written one whose rows the write changes, in one pass over its
    /// rows.
    ///
    /// - Parameter nodes: The keys of the nodes, in order, none below another.
    func changedNodes(
        among nodes: [[UInt8]], in snapshot: any EngineSnapshot
    ) throws(TreeError) -> [[UInt8]] {
        guard !rows.isEmpty else { return nodes }
        var changed: [[UInt8]] = []
        var rest = nodes[...]
        var new = RowBlock()
        func finishNode() throws(TreeError) {
            guard let node = rest.popFirst() else { return }
            if try !snapshot.hasSameRows(as: EncodedWrite(key: node, rows: new)) { changed.append(node) }
            new = RowBlock()
        }
        var row = key
        try rows.forEach { path, value throws(TreeError) in
            row.removeSubrange(key.count...)
            row.append(path)
            while let node = rest.first, node.span.precedes(row.span), !row.span.starts(with: node.span) {
                try finishNode()
            }
            if let node = rest.first, row.span.starts(with: node.span) {
                new.append(path: row.span.extracting(droppingFirst: node.count), value: value)
            }
            return !rest.isEmpty
        }
        while !rest.isEmpty { try finishNode() }
        return changed
    }
}

/// The last row at a node, below it or before it; this determines the kind of write.
private enum LastRow {
    /// The node is exactly the leaf that is written.
    case same
    /// The node is a different leaf.
    case leaf
    /// The node has rows below it.
    case inside
    /// The node does not exist, and an ancestor is a leaf that would have to become an object.
    case above(leaf: [UInt8])
    case elsewhere
}

extension EngineTransaction {
    private func lastRow(upTo write: EncodedWrite) throws(TreeError) -> LastRow {
        let target = write.key
        let range = ByteRange(from: [target[0]], upTo: ByteRange.subtree(target).upper)
        guard let key = try firstKey(in: range, reverse: true) else { return .elsewhere }
        if key.span.starts(with: target.span) {
            guard key.count == target.count else { return .inside }
            guard let leaf = write.rows.onlyLeaf, let value = try value(for: target) else { return .leaf }
            return write.rows.bytes.span.extracting(leaf).hasSameBytes(as: value.span) ? .same : .leaf
        }
        if target.span.starts(with: key.span) { return .above(leaf: key) }
        // The only row that can be between a leaf and a node below it is the leaf's priority.
        let node = Array(key.dropLast())
        guard key.last == PathEncoding.priorityTag, target.span.starts(with: node.span), try value(for: node) != nil
        else { return .elsewhere }
        return .above(leaf: node)
    }
}

extension RowBlock {
    /// The range of the value of the only row, if that is a leaf at the node itself; nil otherwise.
    fileprivate var onlyLeaf: Range<Int>? {
        var cursor = ByteCursor()
        guard count == 1, let path = try? cursor.nextRun(in: bytes.span), path.isEmpty else { return nil }
        return try? cursor.nextRun(in: bytes.span)
    }
}

/// A cursor over the rows of a block, compared with those of the store.
private struct RowCursor {
    private let rows: RowBlock
    private var cursor = ByteCursor()

    init(_ rows: RowBlock) { self.rows = rows }

    var isAtEnd: Bool { cursor.offset == rows.bytes.count }

    /// Whether the next row has this path and value.
    mutating func next(isPath path: Span<UInt8>, value: Span<UInt8>) throws(TreeError) -> Bool {
        guard !isAtEnd else { return false }
        let rows = rows
        let bytes = rows.bytes.span
        let rowPath = try cursor.nextRun(in: bytes)
        let rowValue = try cursor.nextRun(in: bytes)
        return bytes.extracting(rowPath).hasSameBytes(as: path) && bytes.extracting(rowValue).hasSameBytes(as: value)
    }
}
