/// A snapshot that counts the rows that are visited.
private struct CountingSnapshot: EngineSnapshot {
    let base: any EngineSnapshot
    let counter: RowCounter

    func value(for key: [UInt8]) throws(TreeError) -> [UInt8]? {
        counter.count += 1
        return try base.value(for: key)
    }

    func firstKey(in range: ByteRange, reverse: Bool) throws(TreeError) -> [UInt8]? {
        counter.count += 1
        return try base.firstKey(in: range, reverse: reverse)
    }

    func scan(
        _ range: ByteRange, reverse: Bool, _ visit: (Span<UInt8>, Span<UInt8>) throws(TreeError) -> Bool
    ) throws(TreeError) {
        try base.scan(range, reverse: reverse) { key, value throws(TreeError) in
            counter.count += 1
            return try visit(key, value)
        }
    }
}

/// The rows and searches that a read has cost so far.
package final class RowCounter {
    package fileprivate(set) var count = 0

    package init() {}

    /// The same state, of which each row that is read is counted.
    package func counting(_ snapshot: TreeSnapshot) -> TreeSnapshot {
        snapshot.reading(from: CountingSnapshot(base: snapshot.engine, counter: self))
    }
}
