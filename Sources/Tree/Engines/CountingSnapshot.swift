/// A snapshot that counts visited rows and searches.
struct CountingSnapshot: EngineSnapshot {
    /// The number of rows and searches so far.
    final class Rows {
        fileprivate(set) var count = 0
    }

    let base: any EngineSnapshot
    let rows: Rows

    func value(for key: [UInt8]) throws(TreeError) -> [UInt8]? {
        rows.count += 1
        return try base.value(for: key)
    }

    func firstKey(in range: ByteRange, reverse: Bool) throws(TreeError) -> [UInt8]? {
        rows.count += 1
        return try base.firstKey(in: range, reverse: reverse)
    }

    func scan(
        _ range: ByteRange, reverse: Bool, _ visit: (Span<UInt8>, Span<UInt8>) throws(TreeError) -> Bool
    ) throws(TreeError) {
        try base.scan(range, reverse: reverse) { key, value throws(TreeError) in
            rows.count += 1
            return try visit(key, value)
        }
    }
}
