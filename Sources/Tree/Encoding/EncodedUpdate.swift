/// A multi-path update, checked and encoded as rows: the work that is done before its turn in a transaction.
struct EncodedUpdate: Sendable {
    /// The largest size of an update, in bytes of its rows.
    static let maxBytes = 256 << 20

    /// The form of the update, which events repeat.
    enum Origin: Hashable, Sendable {
        /// One node is replaced.
        case put
        /// Several nodes below this key are replaced.
        case patch(below: [UInt8])
    }

    /// The writes in key order.
    let writes: [EncodedWrite]
    let preconditions: [Precondition]
    let origin: Origin
    let byteCount: Int
    /// Whether the update deletes expired nodes; nodes that have been written since are kept.
    var isExpiry = false
    /// Whether the update repeats a change of another copy of the store. It is logged as a change even if it writes
    /// nothing.
    var isRepeated = false
    /// Whether the rows of its only write have been staged.
    var isStaged = false

    /// Whether the caller states that the update frees space on the disk.
    private var isForRoom = false

    /// The key of a damaged row that the update replaces; nil for none. The row is first overwritten with `true` in the
    /// same transaction, so that derivations can read it.
    var damagedRow: [UInt8]?

    /// The first stratum of derivations that sees the writes.
    var firstStratum = 0

    /// The identity whose rights the rules check; nil for the service itself, which is not bound by rules.
    var requester: Requester?

    /// Whether the requester must be allowed to read the nodes of the preconditions.
    var judgesConditions = false

    /// The reads on which the update depends; nil if it is valid regardless of other changes.
    var basis: Basis?

    /// The reads on which an update depends, and the function that decides again.
    struct Basis: Sendable {
        let reads: ReadSet
        /// Decides on the basis of another state; nil if there is nothing to write.
        let decide: @Sendable (TreeSnapshot) -> EncodedUpdate?
    }

    /// Whether the update frees space on the disk: it contains only deletions, or is part of a deletion; see
    /// ``RoomReserve``. One that ``hasRecords`` may have nothing to delete, and then uses space.
    var makesRoom: Bool { isForRoom || writes.allSatisfy { $0.rows.isEmpty || $0.isOfService } }

    /// Whether the service has added records to the writes that a client has sent.
    var hasRecords: Bool { writes.contains { $0.isOfService && !$0.rows.isEmpty } }

    /// Whether a node to which a client writes exists in a state.
    func findsNode(in snapshot: any EngineSnapshot) throws(TreeError) -> Bool {
        for write in writes where !write.isOfService {
            if try !snapshot.isEmpty(.subtree(write.key)) { return true }
        }
        return false
    }

    /// The only write of the update, apart from those that the service has added, if it is that of a node; nil
    /// otherwise, and for expiries.
    var onlyWrite: EncodedWrite? {
        let sent = writes.filter { !$0.isOfService }
        guard sent.count == 1, let write = sent.first, !write.isPriority, !isExpiry else { return nil }
        return write
    }

    /// Creates an update from encoded writes.
    ///
    /// - Throws: ``TreeError`` with code `conflicting_paths` or `too_large`.
    init(writes: [EncodedWrite], origin: Origin, preconditions: [Precondition] = []) throws(TreeError) {
        let writes = writes.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        // In this order, a path is followed directly by the paths below it.
        for (write, next) in zip(writes, writes.dropFirst()) where next.key.span.starts(with: write.key.span) {
            let tree = try StoreFormat.prefixLength(of: write.key.span)
            let other = try PathEncoding.text(of: next.key.span, below: tree)
            let node = write.isPriority ? write.key.dropLast() : write.key
            throw TreeError(
                .conflictingPaths,
                write.key == next.key
                    ? "the update writes this path twice"
                    : "the update also writes /\(other.span.text), below this path",
                path: try StoreFormat.path(ofDataKey: node.span),
                hint: "Write each path once.")
        }
        byteCount = writes.reduce(0) { $0 + $1.byteCount }
        try Self.check(byteCount: byteCount)
        self.writes = writes
        self.origin = origin
        self.preconditions = preconditions
    }

    /// Checks and encodes an update.
    ///
    /// - Throws: ``TreeError`` with code `conflicting_paths`, `too_large` or `invalid_value`.
    init(_ update: MultiPathUpdate) throws(TreeError) {
        var values = update.values
        var serverValues: [TreePath: [(path: TreePath, value: ServerValue)]] = [:]
        for (path, value) in update.serverValues {
            // A server value is either within a written value or a write of its own.
            let written = path.selfAndAncestors.first { values[$0] != nil } ?? path
            values[written, default: nil] = values[written] ?? nil
            serverValues[written, default: []].append((path, value))
        }
        var writes: [EncodedWrite] = []
        for (path, value) in values { writes.append(try EncodedWrite(path, value, serverValues[path] ?? [])) }
        var preconditions: [Precondition] = []
        for precondition in update.preconditions { preconditions.append(try precondition.normalised()) }
        try self.init(
            writes: writes, origin: writes.count == 1 ? .put : .patch(below: Self.commonParent(of: writes)),
            preconditions: preconditions)
        firstStratum = update.firstStratum
        isForRoom = update.makesRoom
    }

    /// Returns the key prefix of the first write's tree.
    private static func commonParent(of writes: [EncodedWrite]) -> [UInt8] {
        guard let first = writes.first, let length = try? StoreFormat.prefixLength(of: first.key.span) else {
            return []
        }
        return Array(first.key.prefix(length))
    }

    static func check(byteCount: Int) throws(TreeError) {
        guard byteCount <= maxBytes else {
            throw TreeError(
                .tooLarge, "the update has more than \(maxBytes) bytes", hint: "Write it in several updates.")
        }
    }
}

extension TreePath {
    /// The path and its ancestors, nearest first.
    fileprivate var selfAndAncestors: some Sequence<TreePath> { sequence(first: self, next: \.parent) }
}

extension EncodedWrite {
    /// - Parameter serverValues: The server values at the path or below it.
    init(
        _ path: TreePath, _ value: TreeValue?, _ serverValues: [(path: TreePath, value: ServerValue)]
    ) throws(TreeError) {
        try path.checkDepth()
        var builder = WriteBuilder(path)
        if let value = try value?.normalised(at: path) ?? nil {
            var rowPath: [UInt8] = []
            Self.append(value, at: &rowPath, to: &builder)
        }
        for (target, value) in serverValues {
            try target.checkDepth()
            var rowPath: [UInt8] = []
            for key in target.keys[path.depth...] { PathEncoding.append(key, to: &rowPath) }
            try builder.replace(rowPath, by: LeafEncoding.encode(value), at: target)
        }
        self = try builder.finish()
    }

    private static func append(_ value: TreeValue, at path: inout [UInt8], to builder: inout WriteBuilder) {
        if let leaf = LeafEncoding.encode(value) { return builder.append(path: path.span, leaf: leaf.span) }
        let length = path.count
        for (key, child) in value.object ?? [:] {
            PathEncoding.append(key, to: &path)
            append(child, at: &path, to: &builder)
            path.removeSubrange(length...)
        }
    }
}
