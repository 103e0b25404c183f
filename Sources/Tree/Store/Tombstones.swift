/// Records that children of a node were deleted, each written in the transaction that deletes the child.
///
/// Whoever deletes it, and how: a write of the child itself, of what is below it, of the node or of anything above, an
/// import, a time to live. At `records` each child that goes gets a row under its own key: when it went, in
/// milliseconds since the epoch. A child that is written again keeps its record until the owner of the records removes
/// it.
///
/// The records are no part of the change log, as no client has made them.
public struct Tombstones: Sendable {
    private let parent: [UInt8]
    private let records: [UInt8]
    private let children: PathPattern

    /// Has the children of `parent` recorded as children of `records`, which may be in another tree.
    public init(of parent: TreePath, at records: TreePath) {
        self.parent = StoreFormat.dataKey(parent)
        self.records = StoreFormat.dataKey(records)
        children = PathPattern(
            parent.keys.map { key in
                var segment: [UInt8] = []
                PathEncoding.append(key, to: &segment)
                return .segment(segment)
            } + [.any])
    }

    /// The children that the writes may delete: those that are there before it.
    func candidates(
        for writes: [EncodedWrite], in snapshot: any EngineSnapshot
    ) throws(TreeError) -> [[UInt8]] {
        var candidates: [[UInt8]] = []
        for write in writes where !write.isPriority && concerns(write) {
            let prefixLength = try StoreFormat.prefixLength(of: write.key.span)
            try children.forEachNode(
                in: .subtree(write.key), below: prefixLength, of: snapshot
            ) { child, _ throws(TreeError) in candidates.append(child) }
        }
        return candidates
    }

    /// Whether the write replaces the node or something above it, or deletes a child or something below one.
    func concerns(_ write: EncodedWrite) -> Bool {
        if parent.starts(with: write.key) { return true }
        return write.rows.isEmpty && write.key.starts(with: parent)
    }

    /// Records those of the candidates that are not there any more.
    func record(
        _ candidates: [[UInt8]], timestampMilliseconds: Int64, in transaction: any EngineTransaction
    ) throws(TreeError) {
        guard let time = LeafEncoding.encode(.integer(timestampMilliseconds)) else { return }
        for child in candidates where try transaction.isEmpty(.subtree(child)) {
            try transaction.put(time, for: records + child[parent.count...])
        }
    }
}
