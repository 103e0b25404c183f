/// A snapshot whose scans can be interrupted, by a cancellation or because they read too much.
struct CancellableSnapshot: EngineSnapshot {
    let base: any EngineSnapshot
    /// The amount of data that may be read; nil for no limit.
    let allowance: ReadAllowance?
    /// Throws if the read should stop.
    let check: () throws(TreeError) -> Void

    func value(for key: [UInt8]) throws(TreeError) -> [UInt8]? {
        try check()
        let value = try base.value(for: key)
        try allowance?.take(value?.count ?? 0)
        return value
    }

    func firstKey(in range: ByteRange, reverse: Bool) throws(TreeError) -> [UInt8]? {
        try check()
        try allowance?.take(0)
        return try base.firstKey(in: range, reverse: reverse)
    }

    func scan(
        _ range: ByteRange, reverse: Bool, _ visit: (Span<UInt8>, Span<UInt8>) throws(TreeError) -> Bool
    ) throws(TreeError) {
        try base.scan(range, reverse: reverse) { key, value throws(TreeError) in
            try check()
            try allowance?.take(value.count)
            return try visit(key, value)
        }
    }
}

/// The amount of data that a read may cover before it counts as large, equivalent to some milliseconds.
final class ReadAllowance {
    private static let maxRows = 2048
    private static let maxBytes = 1 << 20

    private var rowCount = 0
    private var byteCount = 0
    private(set) var isExceeded = false

    /// Counts a row with a value of this size in bytes.
    ///
    /// - Throws: ``TreeError`` when the allowance is exceeded; the result of the read is then ignored.
    func take(_ valueBytes: Int) throws(TreeError) {
        rowCount += 1
        byteCount += valueBytes
        guard rowCount > Self.maxRows || byteCount > Self.maxBytes else { return }
        isExceeded = true
        throw TreeError(.cancelled, "the read is too large for its lane")
    }
}
