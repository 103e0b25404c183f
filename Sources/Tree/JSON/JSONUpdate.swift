/// A change of the tree, given as JSON text: the new value of one node, or those of several.
///
/// The text is read in pieces of any length and converted to rows as it arrives. It is RFC 8259 in UTF-8 with the
/// protocol's conventions: nulls and empty containers are ignored, arrays are objects with the keys 0, 1, 2 …, `.value`
/// and `.priority` give a leaf a priority, and `{".sv": "timestamp"}` and `{".sv": {"increment": n}}` are resolved at
/// the commit. Duplicate keys in an object are refused.
public struct JSONUpdate: Sendable {
    var writes: [EncodedWrite]
    let origin: EncodedUpdate.Origin
    /// The identity whose rights the rules check; nil for the service itself, which is not bound by rules.
    package var requester: Requester?
    /// The conditions for the change to be applied.
    package var conditions: [Precondition] = []
    /// Whether the requester must be allowed to read the nodes of the conditions.
    package var judgesConditions = false

    /// Creates a change that deletes the node at a path.
    public init(deleting path: TreePath) {
        writes = [EncodedWrite(key: StoreFormat.dataKey(path), rows: RowBlock())]
        origin = .put
    }

    fileprivate init(writes: [EncodedWrite], origin: EncodedUpdate.Origin) {
        self.writes = writes
        self.origin = origin
    }

    /// Adds the deletion of a node in a reserved tree of the service; rules do not apply to it.
    package mutating func delete(ofService path: TreePath) {
        precondition(path.namespace.isReserved, "the path is in a tree of clients")
        writes.append(EncodedWrite(key: StoreFormat.dataKey(path), rows: RowBlock(), isOfService: true))
    }

    /// Whether the change replaces the node as a whole, instead of nodes below it.
    public var replacesPlace: Bool { origin == .put }

    /// The meaning of the text.
    public enum Form: Sendable {
        /// The text is the new value of the path.
        case value
        /// The text is the new priority of the node at the path: a string, a number or null.
        case priority
        /// The text is an object; its keys are paths below the path, its members their new values. Or it is `null`,
        /// which deletes the node at the path.
        case update
    }

    /// Reads the text of an update.
    public struct Reader {
        private var tokenizer: JSONTokenizer<RowEncoder>
        private let form: Form
        private let path: TreePath

        /// Creates a reader.
        public init(_ form: Form, at path: TreePath) {
            self.form = form
            self.path = path
            tokenizer = JSONTokenizer(
                RowEncoder(form == .update ? .update : .value, at: path, isPriority: form == .priority))
        }

        /// The offset of the error after a failure, in bytes from the start of the text.
        public var offset: Int { tokenizer.offset }

        /// Reads the next bytes.
        ///
        /// - Throws: ``TreeError`` with code `invalid_json`, `invalid_key` or `too_large`, as soon as the error is
        ///   found.
        public mutating func feed(_ bytes: Span<UInt8>) throws(TreeError) {
            do {
                try tokenizer.feed(bytes)
            } catch {
                throw error.atByte(tokenizer.offset)
            }
        }

        /// Returns the change, after the whole text has been read.
        ///
        /// - Throws: ``TreeError`` with code `invalid_json` if the text is incomplete.
        public mutating func finish() throws(TreeError) -> JSONUpdate {
            do {
                try tokenizer.finish()
            } catch {
                throw error.atByte(tokenizer.offset)
            }
            let namesPaths = form == .update && !tokenizer.sink.isDeletion
            return JSONUpdate(
                writes: try tokenizer.sink.finish(),
                origin: namesPaths ? .patch(below: StoreFormat.dataKey(path)) : .put)
        }
    }

    /// Creates a change from a complete text.
    public init(_ form: Form, at path: TreePath, json: some Collection<UInt8>) throws(TreeError) {
        var reader = Reader(form, at: path)
        let bytes = Array(json)
        try reader.feed(bytes.span)
        self = try reader.finish()
    }
}

/// The result of a ``JSONUpdate`` that was applied.
public struct JSONReceipt: Sendable {
    private let receipt: CommitReceipt
    private let origin: EncodedUpdate.Origin

    init(_ receipt: CommitReceipt, origin: EncodedUpdate.Origin) {
        self.receipt = receipt
        self.origin = origin
    }

    /// The position in the change log just after the update.
    public var token: SyncToken { receipt.token }

    /// Returns the written value as JSON, with server values resolved; for a multi-path update, an object of paths.
    public func json() throws(TreeError) -> [UInt8] {
        guard case .patch(let base) = origin else { return try rows.json() }
        return try JSONUpdate.members(of: receipt.writes.filter { !$0.isOfService }, below: base)
    }

    /// Returns the ETag of the value that was written to a single node.
    public func etag() throws(TreeError) -> String { try rows.etag() }

    private var rows: RowBlock { receipt.writes.first { !$0.isOfService }?.rows ?? RowBlock() }
}

extension TreeError {
    /// Returns the error of reading a text, with the offset in the message.
    fileprivate func atByte(_ offset: Int) -> TreeError {
        guard code == .invalidJSON else { return self }
        return TreeError(code, "\(message), at byte \(offset)", path: path, hint: hint, cause: cause)
    }
}

extension JSONUpdate {
    /// Returns a JSON object whose keys are the paths of writes below a key, and whose members are the written values.
    static func members(
        of writes: [EncodedWrite], below base: [UInt8], _ form: JSONForm = .plain
    ) throws(TreeError) -> [UInt8] {
        var json = [UInt8(ascii: "{")]
        for write in writes {
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            let path = try PathEncoding.text(of: write.key.span, below: base.count)
            JSONText.append(path.span, to: &json)
            json.append(UInt8(ascii: ":"))
            let value = try write.rows.json(form)
            json.append(contentsOf: value)
        }
        json.append(UInt8(ascii: "}"))
        return json
    }
}

extension RowBlock {
    /// Returns the value of the rows as JSON.
    func json(_ form: JSONForm = .plain) throws(TreeError) -> [UInt8] {
        var assembler = JSONAssembler(form)
        try forEach { path, leaf throws(TreeError) in
            try assembler.add(path: path, leaf: leaf)
            return true
        }
        return assembler.finish()
    }
}

extension JSONUpdate {
    /// Checks the change against the rules, as if it were committed now.
    ///
    /// - Throws: ``TreeError`` with code `permission_denied`, `conflicting_paths`, `too_large` or `invalid_value`, or the
    ///   engine's failure.
    package func judge(in snapshot: TreeSnapshot) throws(TreeError) {
        var update = try EncodedUpdate(writes: writes, origin: origin)
        update.requester = requester
        try update.judge(
            beforeTurnIn: snapshot.engine, timestamp: WallClock.now(), rules: snapshot.rules)
    }
}
