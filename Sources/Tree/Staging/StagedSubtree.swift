/// A subtree whose current rows are in the staging keyspace, and are being moved to their final keys.
///
/// The staged rows have their final keys, preceded by one byte (``StoreFormat/stagingKeyspace``). Rows at the final
/// keys within the range are the previous data: they are no longer visible, and will be removed. The start of the range
/// advances with each piece that is moved.
struct StagedSubtree: Hashable, Sendable {
    /// The key of the row that describes the subtree; the row exists until the whole subtree has been moved.
    static let key = [StoreFormat.metaKeyspace] + Array("staged".utf8)

    /// The final keys whose rows are staged.
    let range: ByteRange

    init(_ range: ByteRange) { self.range = range }

    init(row: Span<UInt8>) throws(TreeError) {
        var cursor = ByteCursor()
        let lower = row.extracting(try cursor.nextRun(in: row)).copied
        range = ByteRange(from: lower, upTo: row.extracting(try cursor.nextRun(in: row)).copied)
    }

    var row: [UInt8] {
        var row: [UInt8] = []
        row.appendCounted(range.lower.span)
        row.appendCounted(range.upper.span)
        return row
    }

    /// Returns the key at which the row of a final key is staged.
    static func stagedKey(_ key: [UInt8]) -> [UInt8] { [StoreFormat.stagingKeyspace] + key }

    /// A range of engine rows that a reader sees as adjacent.
    struct Part {
        let rows: ByteRange
        /// The number of leading bytes of the engine keys that a reader does not see.
        let prefixLength: Int
    }

    /// Returns the key at which the row of a final key is stored now.
    func rowKey(of key: [UInt8]) -> [UInt8] { range.contains(key) ? Self.stagedKey(key) : key }

    /// Returns the ranges in which the rows of a range of final keys are stored, in key order.
    func parts(of keys: ByteRange) -> [Part] {
        var parts: [Part] = []
        if let before = keys.intersection(ByteRange(from: keys.lower, upTo: range.lower)) {
            parts.append(Part(rows: before, prefixLength: 0))
        }
        if let staged = keys.intersection(range) {
            let rows = ByteRange(from: Self.stagedKey(staged.lower), upTo: Self.stagedKey(staged.upper))
            parts.append(Part(rows: rows, prefixLength: 1))
        }
        if let after = keys.intersection(ByteRange(from: range.upper, upTo: keys.upper)) {
            parts.append(Part(rows: after, prefixLength: 0))
        }
        return parts
    }
}

extension ByteRange {
    /// Returns the keys that are in both ranges; nil if there are none.
    fileprivate func intersection(_ other: ByteRange) -> ByteRange? {
        let lower = lower.span.precedes(other.lower.span) ? other.lower : lower
        let upper = other.upper.span.precedes(upper.span) ? other.upper : upper
        return lower.span.precedes(upper.span) ? ByteRange(from: lower, upTo: upper) : nil
    }
}
