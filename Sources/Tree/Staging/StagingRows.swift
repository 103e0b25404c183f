/// A state of an engine with a staged subtree, in which all rows appear at their final keys.
struct StagingSnapshot: EngineSnapshot {
    let base: any EngineSnapshot
    let subtree: StagedSubtree

    func value(for key: [UInt8]) throws(TreeError) -> [UInt8]? { try base.value(for: subtree.rowKey(of: key)) }

    func scan(
        _ range: ByteRange, reverse: Bool, _ visit: (Span<UInt8>, Span<UInt8>) throws(TreeError) -> Bool
    ) throws(TreeError) {
        let parts = subtree.parts(of: range)
        for part in reverse ? parts.reversed() : parts {
            var isWanted = true
            try base.scan(part.rows, reverse: reverse) { key, value throws(TreeError) in
                isWanted = try visit(key.extracting(droppingFirst: part.prefixLength), value)
                return isWanted
            }
            guard isWanted else { return }
        }
    }

    func firstKey(in range: ByteRange, reverse: Bool) throws(TreeError) -> [UInt8]? {
        let parts = subtree.parts(of: range)
        for part in reverse ? parts.reversed() : parts {
            guard let key = try base.firstKey(in: part.rows, reverse: reverse) else { continue }
            return Array(key.dropFirst(part.prefixLength))
        }
        return nil
    }
}

/// A transaction in which the rows of the staged subtree, if there is one, appear at their final keys.
///
/// The subtree may also become staged during the transaction, when the row that describes it is written at
/// ``StagedSubtree/key``.
final class StagingTransaction: EngineTransaction {
    private let base: any EngineTransaction
    /// The staged subtree, as the transaction leaves it; nil if there is none.
    private(set) var subtree: StagedSubtree?

    init(_ base: any EngineTransaction, subtree: StagedSubtree?) {
        self.base = base
        self.subtree = subtree
    }

    private var snapshot: any EngineSnapshot {
        subtree.map { StagingSnapshot(base: base, subtree: $0) } ?? base
    }

    func value(for key: [UInt8]) throws(TreeError) -> [UInt8]? { try snapshot.value(for: key) }

    func scan(
        _ range: ByteRange, reverse: Bool, _ visit: (Span<UInt8>, Span<UInt8>) throws(TreeError) -> Bool
    ) throws(TreeError) {
        try snapshot.scan(range, reverse: reverse, visit)
    }

    func firstKey(in range: ByteRange, reverse: Bool) throws(TreeError) -> [UInt8]? {
        try snapshot.firstKey(in: range, reverse: reverse)
    }

    func put(_ value: Span<UInt8>, for key: Span<UInt8>) throws(TreeError) {
        let rowKey = subtree?.rowKey(of: key.copied)
        if let rowKey { return try base.put(value, for: rowKey.span) }
        let stagedKey = StagedSubtree.key
        if key.hasSameBytes(as: stagedKey.span) { subtree = try StagedSubtree(row: value) }
        try base.put(value, for: key)
    }

    func remove(_ range: ByteRange) throws(TreeError) {
        guard let subtree else { return try base.remove(range) }
        for part in subtree.parts(of: range) { try base.remove(part.rows) }
    }
}
