/// A multi-path update, checked and turned into rows: all that can be done before its turn in a transaction comes.
struct EncodedUpdate: Sendable {
    /// The most that one update may write, in bytes of its rows.
    static let maxBytes = 256 << 20

    /// What one path is replaced by.
    struct Write: Sendable {
        let write: TreeWrite
        /// The key of a row at the path; all rows of its subtree begin so.
        let key: [UInt8]
        let leaves: [Leaf]
    }

    /// A row, its path relative to the write's.
    struct Leaf: Sendable {
        let path: [UInt8]
        let value: [UInt8]
    }

    /// Ordered by path.
    let writes: [Write]
    let preconditions: [Precondition]
    let byteCount: Int

    /// Checks and encodes an update.
    ///
    /// - Throws: ``TreeError`` with code `conflicting_paths`, `too_large` or `invalid_value`.
    init(_ update: MultiPathUpdate) throws(TreeError) {
        var writes: [Write] = []
        for (path, value) in update.values { writes.append(try Write(path, value)) }
        writes.sort { $0.key.lexicographicallyPrecedes($1.key) }
        // What lies below a path follows it directly in this order.
        for (write, next) in zip(writes, writes.dropFirst()) where next.key.starts(with: write.key) {
            throw TreeError(
                .conflictingPaths, "the update also writes \(next.write.path), below this path",
                path: write.write.path, hint: "write each place once")
        }
        byteCount = writes.reduce(0) { $0 + $1.byteCount }
        guard byteCount <= Self.maxBytes else {
            throw TreeError(
                .tooLarge, "the update has \(byteCount) bytes, the limit is \(Self.maxBytes)",
                hint: "write it in several updates")
        }
        self.writes = writes
        var preconditions: [Precondition] = []
        for precondition in update.preconditions { preconditions.append(try precondition.normalised()) }
        self.preconditions = preconditions
    }
}

extension EncodedUpdate.Write {
    fileprivate init(_ path: TreePath, _ value: TreeValue?) throws(TreeError) {
        try path.checkDepth()
        let normalised = try value?.normalised(at: path) ?? nil
        write = TreeWrite(path: path, value: normalised)
        key = StorageFormat.dataKey(path)
        var leaves: [EncodedUpdate.Leaf] = []
        if let normalised { Self.collectLeaves(of: normalised, at: [], into: &leaves) }
        self.leaves = leaves
    }

    fileprivate var byteCount: Int {
        leaves.reduce(key.count) { $0 + key.count + $1.path.count + $1.value.count }
    }

    private static func collectLeaves(
        of value: TreeValue, at path: [UInt8], into leaves: inout [EncodedUpdate.Leaf]
    ) {
        if let leaf = LeafEncoding.encode(value) { leaves.append(EncodedUpdate.Leaf(path: path, value: leaf)) }
        for (key, child) in value.object ?? [:] {
            var childPath = path
            PathEncoding.append(key, to: &childPath)
            collectLeaves(of: child, at: childPath, into: &leaves)
        }
    }
}

extension Precondition {
    fileprivate func normalised() throws(TreeError) -> Precondition {
        guard case .equals(let path, let value) = self else { return self }
        return .equals(path, try value?.normalised(at: path) ?? nil)
    }

    /// Refuses the update that has this precondition, if it does not hold.
    ///
    /// - Returns: Why not; nil if it holds.
    func refusal(in snapshot: TreeSnapshot) throws(TreeError) -> TreeError? {
        let (path, complaint): (TreePath, String) =
            switch self {
            case .exists(let path): (path, try snapshot.exists(path) ? "" : "nothing is there")
            case .absent(let path): (path, try snapshot.exists(path) ? "something is there" : "")
            case .equals(let path, let value):
                (path, try snapshot.get(path) == value ? "" : "the value there is another")
            }
        guard !complaint.isEmpty else { return nil }
        return TreeError(.preconditionFailed, complaint, path: path, hint: "read again and decide anew")
    }
}
