/// A subtree whose rows are in the staging keyspace: what is there now, on its way to where it belongs.
///
/// Its rows lie at their own keys behind one byte (``StoreFormat/stagingKeyspace``). What lies in its range at the keys
/// themselves is what was there before: nobody sees that any more, and it is to be removed. The range begins later with
/// each piece that has been moved.
struct StagedSubtree: Hashable, Sendable {
    /// The key of the row that describes it, which is there as long as the subtree is not where it belongs as a whole.
    static let key = [StoreFormat.metaKeyspace] + Array("staged".utf8)

    /// The keys whose rows are staged.
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

    /// The key at which the row of a key is staged, or is to be.
    static func stagedKey(_ key: [UInt8]) -> [UInt8] { [StoreFormat.stagingKeyspace] + key }

    /// Rows of the engine that are neighbours for a reader.
    struct Part {
        let rows: ByteRange
        /// The number of bytes of their keys that are no part of those that a reader sees.
        let prefixLength: Int
    }

    /// The key at which the row of a key is now.
    func rowKey(of key: [UInt8]) -> [UInt8] { range.contains(key) ? Self.stagedKey(key) : key }

    /// The ranges in which the rows of a range of keys are, in the order of the keys.
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
    /// The keys that are in both; nil if there are none.
    fileprivate func intersection(_ other: ByteRange) -> ByteRange? {
        let lower = lower.span.precedes(other.lower.span) ? other.lower : lower
        let upper = other.upper.span.precedes(upper.span) ? other.upper : upper
        return lower.span.precedes(upper.span) ? ByteRange(from: lower, upTo: upper) : nil
    }
}
