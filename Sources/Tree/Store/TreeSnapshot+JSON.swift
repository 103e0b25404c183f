/// The form in which the tree is written as JSON text.
public enum JSONForm: Sendable {
    /// Values only; objects with integer keys may become arrays.
    case plain
    /// Values and priorities (`.priority`, and `.value` for leaves that have one), without arrays.
    case export

    /// The size of the pieces in which long text is delivered, in bytes.
    static let drainBytes = 1 << 20
}

extension TreeSnapshot {
    /// Returns the value at a path as JSON text; `null` if none exists.
    ///
    /// Rows are converted in one pass. Pass `drain` to receive the text in pieces: it is called whenever more than a
    /// mebibyte is ready, and only the last piece is returned.
    public func json(
        of path: TreePath, _ form: JSONForm = .plain, drain: (([UInt8]) throws(TreeError) -> Void)? = nil
    ) throws(TreeError) -> [UInt8] {
        let top = StoreFormat.dataKey(path)
        return try engine.json(of: [.subtree(top)], below: top.count, form, drain: drain)
    }

    /// Returns the children of a path as JSON text, each as `true`; a leaf is returned as it is, and `null` if no value
    /// exists.
    ///
    /// - Parameter maxBytes: The size of the text from which on further children are left out.
    public func shallowJSON(of path: TreePath, upTo maxBytes: Int = .max) throws(TreeError) -> [UInt8] {
        var json: [UInt8] = []
        let top = StoreFormat.dataKey(path)
        try engine.forEachChild(in: .children(of: top), below: top.count) { segment throws(TreeError) in
            try json.appendShallow(segment)
            return json.count <= maxBytes
        }
        guard json.isEmpty else { return json + [UInt8(ascii: "}")] }
        return try self.json(of: path)
    }

    /// Returns the children of a path that match a query as JSON text, each as `true`, in key order; `null` for none,
    /// and for a leaf.
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

    /// Returns the number of children of a path; 0 for a leaf or a missing value.
    public func childCount(of path: TreePath) throws(TreeError) -> Int {
        var count = 0
        let top = StoreFormat.dataKey(path)
        try engine.forEachChild(in: .children(of: top), below: top.count) { _ in
            count += 1
            return true
        }
        return count
    }

    /// Returns the priority of the node at a path as JSON text: a string, a number or `null`.
    public func priorityJSON(of path: TreePath) throws(TreeError) -> [UInt8] {
        let row = StoreFormat.dataKey(path) + [PathEncoding.priorityTag]
        guard let leaf = try engine.value(for: row) else { return Array("null".utf8) }
        return try LeafEncoding.decode(leaf, ofRow: row).json()
    }
}

extension EngineSnapshot {
    /// Converts the rows of ranges, which are in key order, to JSON text.
    ///
    /// - Parameters:
    ///   - length: The offset in the keys of the rows at which the paths begin.
    ///   - drain: Receives the text in pieces; only the last piece is returned.
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
    /// Appends a member `"key":true` of the current object.
    fileprivate mutating func appendShallow(_ segment: Span<UInt8>) throws(TreeError) {
        append(UInt8(ascii: isEmpty ? "{" : ","))
        try JSONAssembler.appendKey(segment, to: &self)
        append(contentsOf: ":true".utf8)
    }
}
