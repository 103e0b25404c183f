/// A change of the tree that comes as JSON text: what a node becomes, or what several do.
///
/// The text is read as it arrives, in pieces of any length, and becomes rows at once. It is RFC 8259 in UTF-8 with the
/// protocol's reading: nulls and empty containers are nothing, arrays are objects with the keys 0, 1, 2 …, `.value`
/// and `.priority` give a leaf a priority, `{".sv": "timestamp"}` and `{".sv": {"increment": n}}` are filled in when it
/// is committed. Keys that come twice in one object are refused.
public struct JSONUpdate: Sendable {
    private(set) var writes: [EncodedWrite]
    let origin: EncodedUpdate.Origin
    /// For whom the change is made, if the rules allow it; nil for the service itself, which no rule binds.
    package var requester: Requester?

    /// Deletes what is at a path.
    public init(deleting path: TreePath) {
        writes = [EncodedWrite(key: StoreFormat.dataKey(path), rows: RowBlock())]
        origin = .put
    }

    fileprivate init(writes: [EncodedWrite], origin: EncodedUpdate.Origin) {
        self.writes = writes
        self.origin = origin
    }

    /// Deletes, with the change, something that the service keeps for itself; no rule is asked about it.
    package mutating func delete(ofService path: TreePath) {
        precondition(path.namespace.isReserved, "the rest of the tree is its clients'")
        writes.append(EncodedWrite(key: StoreFormat.dataKey(path), rows: RowBlock()))
    }

    /// Whether the node as a whole becomes something else, and not what the update names below it.
    public var replacesPlace: Bool { origin == .put }

    /// The meaning of the text for the paths that it names.
    public enum Form: Sendable {
        /// The text is the new value of the path.
        case value
        /// The text is the new priority of the node at the path: a string, a number or null.
        case priority
        /// The text is an object; its keys are paths below the path, its members their new values. Or it is `null`,
        /// which deletes what is at the path.
        case update
    }

    /// Reads the text of an update.
    public struct Reader {
        private var tokenizer: JSONTokenizer<RowEncoder>
        private let form: Form
        private let path: TreePath

        /// Prepares to read.
        public init(_ form: Form, at path: TreePath) {
            self.form = form
            self.path = path
            tokenizer = JSONTokenizer(
                RowEncoder(form == .update ? .update : .value, at: path, isPriority: form == .priority))
        }

        /// The offset of the fault after a failure, in bytes from the beginning of the text.
        public var offset: Int { tokenizer.offset }

        /// Reads the next bytes.
        ///
        /// - Throws: ``TreeError`` with code `invalid_json`, `invalid_key` or `too_large`, as soon as it is known.
        public mutating func feed(_ bytes: Span<UInt8>) throws(TreeError) {
            do {
                try tokenizer.feed(bytes)
            } catch {
                throw error.atByte(tokenizer.offset)
            }
        }

        /// The change that the whole text describes.
        ///
        /// - Throws: ``TreeError`` with code `invalid_json` when the text is not complete.
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

    /// Reads a text that is there whole.
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

    /// The value that was written, as JSON, with the server's values filled in; of a multi-path update an object of
    /// paths.
    public func json() throws(TreeError) -> [UInt8] {
        guard case .patch(let base) = origin else { return try rows.json() }
        return try JSONUpdate.members(of: receipt.writes, below: base)
    }

    /// The ETag of what was written to a single node.
    public func etag() throws(TreeError) -> String { try rows.etag() }

    private var rows: RowBlock { receipt.writes.first?.rows ?? RowBlock() }
}

extension TreeError {
    /// The failure to read a text, and where in it.
    fileprivate func atByte(_ offset: Int) -> TreeError {
        guard code == .invalidJSON else { return self }
        return TreeError(code, "\(message), at byte \(offset)", path: path, hint: hint, cause: cause)
    }
}

extension JSONUpdate {
    /// An object whose keys are the paths of writes below a key, and whose members are what was written there.
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
    /// The value that the rows make, as JSON.
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
    /// Judges the change by the rules, as if it were made now.
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
