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
        try allowance?.take(key.count + (value?.count ?? 0))
        return value
    }

    func firstKey(in range: ByteRange, reverse: Bool) throws(TreeError) -> [UInt8]? {
        try check()
        let key = try base.firstKey(in: range, reverse: reverse)
        try allowance?.take(key?.count ?? 0)
        return key
    }

    func scan(
        _ range: ByteRange, reverse: Bool, _ visit: (Span<UInt8>, Span<UInt8>) throws(TreeError) -> Bool
    ) throws(TreeError) {
        try base.scan(range, reverse: reverse) { key, value throws(TreeError) in
            try check()
            try allowance?.take(key.count + value.count)
            return try visit(key, value)
        }
    }
}

/// The amount of data that a read may cover: a number of rows and searches, and the size of their keys and values.
package final class ReadAllowance {
    private let maxRows, maxBytes: Int
    private let refusal: TreeError
    /// The number of rows and searches so far.
    private(set) var rowCount = 0
    private var byteCount = 0
    private(set) var isExceeded = false

    /// - Parameter refusal: The error of each read when the allowance is exceeded.
    package init(rows maxRows: Int = .max, bytes maxBytes: Int, orThrowing refusal: TreeError) {
        (self.maxRows, self.maxBytes, self.refusal) = (maxRows, maxBytes, refusal)
    }

    /// Returns the allowance of a read before it counts as large, equivalent to some milliseconds.
    static func ofSmallRead() -> ReadAllowance {
        ReadAllowance(
            rows: 2048, bytes: 1 << 20, orThrowing: TreeError(.cancelled, "the read is too large for its lane"))
    }

    /// Returns the same state, whose reads take from the allowance, and fail when it is exceeded.
    package func limit(_ snapshot: TreeSnapshot) -> TreeSnapshot {
        snapshot.reading(from: CancellableSnapshot(base: snapshot.engine, allowance: self, check: {}))
    }

    /// Counts a row of this size in bytes.
    ///
    /// - Throws: The refusal when the allowance is exceeded; the result of the read is then ignored.
    func take(_ bytes: Int) throws(TreeError) {
        rowCount += 1
        byteCount += bytes
        guard rowCount > maxRows || byteCount > maxBytes else { return }
        isExceeded = true
        throw refusal
    }
}
