/// The reads from a state of the store, with enough of their results to check whether another state gives the same.
///
/// The reads are recorded as rows, so that every kind of read is covered: values, pages of children, indexed queries,
/// rules.
struct ReadSet: Sendable {
    /// The position in the change log of the state that was read.
    let token: SyncToken
    fileprivate let reads: [Read]

    fileprivate enum Read: Sendable {
        case value(key: [UInt8], value: [UInt8]?)
        case firstKey(ByteRange, reverse: Bool, key: [UInt8]?)
        case scan(ByteRange, reverse: Bool, Rows)
    }

    /// The rows that a scan visited.
    fileprivate struct Rows: Sendable, Equatable {
        var count = 0
        var etag = ETagBuilder.nothing
        /// Whether the visitor stopped before the end of the range.
        var isCutShort = false
    }

    /// Whether a state, at a position in the change log, gives the same results.
    ///
    /// This is free if nothing has been committed in between; otherwise it repeats the reads.
    func holds(in snapshot: any EngineSnapshot, at token: SyncToken) throws(TreeError) -> Bool {
        guard token != self.token else { return true }
        for read in reads {
            switch read {
            case .value(let key, let value): guard try snapshot.value(for: key) == value else { return false }
            case .firstKey(let range, let reverse, let key):
                guard try snapshot.firstKey(in: range, reverse: reverse) == key else { return false }
            case .scan(let range, let reverse, let rows):
                // A scan that stopped early is repeated as far as it went. A complete scan is repeated one row further,
                // to detect new rows.
                let last = rows.isCutShort ? rows.count : rows.count + 1
                var visited = 0
                let found = try snapshot.visitedRows(in: range, reverse: reverse) { _, _ in
                    visited += 1
                    return visited < last
                }
                guard found == rows else { return false }
            }
        }
        return true
    }
}

extension EngineSnapshot {
    /// Scans a range, and returns a summary of the visited rows.
    fileprivate func visitedRows(
        in range: ByteRange, reverse: Bool, _ visit: (Span<UInt8>, Span<UInt8>) throws(TreeError) -> Bool
    ) throws(TreeError) -> ReadSet.Rows {
        var rows = ReadSet.Rows()
        var etag = ETagBuilder()
        try scan(range, reverse: reverse) { key, value throws(TreeError) in
            rows.count += 1
            etag.add(path: key, value: value)
            rows.isCutShort = try !visit(key, value)
            return !rows.isCutShort
        }
        rows.etag = etag.finish()
        return rows
    }
}

/// A state of the store that records what is read from it.
final class RecordingSnapshot: EngineSnapshot {
    private let base: any EngineSnapshot
    private var reads: [ReadSet.Read] = []

    init(_ base: any EngineSnapshot) { self.base = base }

    /// Returns the reads so far; the token is the position of this state in the change log.
    func readSet(at token: SyncToken) -> ReadSet { ReadSet(token: token, reads: reads) }

    func value(for key: [UInt8]) throws(TreeError) -> [UInt8]? {
        let value = try base.value(for: key)
        reads.append(.value(key: key, value: value))
        return value
    }

    func scan(
        _ range: ByteRange, reverse: Bool, _ visit: (Span<UInt8>, Span<UInt8>) throws(TreeError) -> Bool
    ) throws(TreeError) {
        reads.append(.scan(range, reverse: reverse, try base.visitedRows(in: range, reverse: reverse, visit)))
    }

    func firstKey(in range: ByteRange, reverse: Bool) throws(TreeError) -> [UInt8]? {
        let key = try base.firstKey(in: range, reverse: reverse)
        reads.append(.firstKey(range, reverse: reverse, key: key))
        return key
    }
}
