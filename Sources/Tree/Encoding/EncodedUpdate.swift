/// A multi-path update, checked and turned into rows: all that can be done before its turn in a transaction comes.
struct EncodedUpdate: Sendable {
    /// The most that one update may write, in bytes of its rows.
    static let maxBytes = 256 << 20

    /// The form in which the update was written, and in which events describe it.
    enum Origin: Hashable, Sendable {
        /// One node was replaced.
        case put
        /// Several nodes below this key were.
        case patch(below: [UInt8])
    }

    /// Ordered by key.
    let writes: [EncodedWrite]
    let preconditions: [Precondition]
    let origin: Origin
    let byteCount: Int
    /// Whether it deletes nodes because they have expired; those that have been written again meanwhile stay.
    var isExpiry = false
    /// Whether it repeats a change of another state of the store, which is one here, too, even if nothing is written by it.
    var isRepeated = false
    /// Whether the rows of its only write have been staged.
    var isStaged = false

    /// Whether whoever makes it says that it makes room on the disk.
    private var isForRoom = false

    /// The key of a damaged row that the update replaces: `true` takes its place first, in the same transaction, so that what
    /// follows from the change can be derived.
    var damagedRow: [UInt8]?

    /// The first stratum of derivations that sees the writes.
    var firstStratum = 0

    /// For whom the update is made, if the rules allow it; nil for the service itself, which no rule binds.
    var requester: Requester?

    /// The reads that the update was decided by; nil when it holds whatever has changed.
    var basis: Basis?

    /// The reads that an update was decided by, and the decision, to be made anew.
    struct Basis: Sendable {
        let reads: ReadSet
        /// Decides by another state; nil when nothing is to be written after all.
        let decide: @Sendable (TreeSnapshot) -> EncodedUpdate?
    }

    /// Whether it makes room on the disk: it only deletes, or is a part of a deletion; see ``RoomReserve``.
    var makesRoom: Bool { isForRoom || writes.allSatisfy(\.rows.isEmpty) }

    /// The write, if it is the only one, and of a node.
    var onlyWrite: EncodedWrite? {
        guard writes.count == 1, let write = writes.first, !write.isPriority, !isExpiry else { return nil }
        return write
    }

    /// Puts an update together of writes that have been encoded.
    ///
    /// - Throws: ``TreeError`` with code `conflicting_paths` or `too_large`.
    init(writes: [EncodedWrite], origin: Origin, preconditions: [Precondition] = []) throws(TreeError) {
        let writes = writes.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        // What lies below a path follows it directly in this order.
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
                hint: "write each path once")
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
            // Within a value that is written, or on its own.
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

    /// The key prefix of the first write's tree.
    private static func commonParent(of writes: [EncodedWrite]) -> [UInt8] {
        guard let first = writes.first, let length = try? StoreFormat.prefixLength(of: first.key.span) else {
            return []
        }
        return Array(first.key.prefix(length))
    }

    static func check(byteCount: Int) throws(TreeError) {
        guard byteCount <= maxBytes else {
            throw TreeError(
                .tooLarge, "the update has more than \(maxBytes) bytes", hint: "write it in several updates")
        }
    }
}

extension TreePath {
    /// The path, and those above it, the nearest first.
    fileprivate var selfAndAncestors: some Sequence<TreePath> { sequence(first: self, next: \.parent) }
}

extension EncodedWrite {
    /// - Parameter serverValues: What the server is to fill in, at the path or below it.
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
