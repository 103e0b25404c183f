/// The form in which JSON text shows the tree.
public enum JSONForm: Sendable {
    /// Values alone; objects with integer keys may be arrays.
    case plain
    /// Priorities too (`.priority`, and `.value` for leaves that have one), and no arrays.
    case export

    /// Whoever takes text in pieces is given one each time that this much of it is there.
    static let drainBytes = 1 << 20
}

extension TreeSnapshot {
    /// The value at a path as JSON text; `null` for nothing.
    ///
    /// Rows become text in one pass. Give `drain` to take the text in pieces: it is called with what has come so far
    /// each time that is more than a mebibyte, and only the last piece is returned.
    public func json(
        of path: TreePath, _ form: JSONForm = .plain, drain: (([UInt8]) throws(TreeError) -> Void)? = nil
    ) throws(TreeError) -> [UInt8] {
        let top = StoreFormat.dataKey(path)
        return try engine.json(of: [.subtree(top)], below: top.count, form, drain: drain)
    }

    /// The children of a path as JSON text, each `true`; a leaf as it is, `null` for nothing.
    public func shallowJSON(of path: TreePath) throws(TreeError) -> [UInt8] {
        var json: [UInt8] = []
        let top = StoreFormat.dataKey(path)
        try engine.forEachChild(in: .children(of: top), below: top.count) { segment throws(TreeError) in
            try json.appendShallow(segment)
            return true
        }
        guard json.isEmpty else { return json + [UInt8(ascii: "}")] }
        return try self.json(of: path)
    }

    /// The children of a path that a query takes as JSON text, each `true`, in key order; `null` for none, and for a
    /// leaf.
    ///
    /// - Throws: ``TreeError`` with code `index_not_defined`, or the engine's failure.
    public func shallowJSON(of path: TreePath, matching query: TreeQuery) throws(TreeError) -> [UInt8] {
        var json: [UInt8] = []
        let segments = try segments(of: try select(query, at: path), below: StoreFormat.dataKey(path))
        for segment in segments.sorted(by: { $0.span.precedes($1.span) }) {
            try json.appendShallow(segment.span)
        }
        return json.isEmpty ? Array("null".utf8) : json + [UInt8(ascii: "}")]
    }

    /// The number of children that a path has; 0 for a leaf and for nothing.
    public func childCount(of path: TreePath) throws(TreeError) -> Int {
        var count = 0
        let top = StoreFormat.dataKey(path)
        try engine.forEachChild(in: .children(of: top), below: top.count) { _ in
            count += 1
            return true
        }
        return count
    }

    /// The priority of the node at a path as JSON text: a string, a number or `null`.
    public func priorityJSON(of path: TreePath) throws(TreeError) -> [UInt8] {
        let row = StoreFormat.dataKey(path) + [PathEncoding.priorityTag]
        guard let leaf = try engine.value(for: row) else { return Array("null".utf8) }
        return try LeafEncoding.decode(leaf, ofRow: row).json()
    }
}

extension EngineSnapshot {
    /// Puts the rows of some ranges together, which come in key order.
    ///
    /// - Parameters:
    ///   - length: Where the paths begin in the keys of the rows.
    ///   - drain: Takes the text in pieces; only the last piece is returned.
    func json(
        of ranges: [ByteRange], below length: Int, _ form: JSONForm, drain: (([UInt8]) throws(TreeError) -> Void)?
    ) throws(TreeError) -> [UInt8] {
        var assembler = JSONAssembler(form)
        var nextDrain = JSONForm.drainBytes
        for range in ranges {
            try scan(range, reverse: false) { key, leaf throws(TreeError) in
                try assembler.add(path: key.extracting(droppingFirst: length), leaf: leaf)
                if let drain, assembler.byteCount >= nextDrain {
                    let piece = assembler.drain()
                    if !piece.isEmpty { try drain(piece) }
                    nextDrain = assembler.byteCount + JSONForm.drainBytes
                }
                return true
            }
        }
        return assembler.finish()
    }
}

extension [UInt8] {
    /// Appends a member `"key":true` of an object that is being written.
    fileprivate mutating func appendShallow(_ segment: Span<UInt8>) throws(TreeError) {
        append(UInt8(ascii: isEmpty ? "{" : ","))
        try JSONAssembler.appendKey(segment, to: &self)
        append(contentsOf: ":true".utf8)
    }
}
