import Model
import Tree

/// The queue of lanes: each lane with deliveries has one row, at the due time of its first delivery.
enum OutboxQueue {
    /// Returns a time as a key of fixed length.
    private static func key(_ time: Timestamp) -> String {
        let digits = String(max(0, time.milliseconds), radix: 16)
        return String(repeating: "0", count: max(0, 16 - digits.utf8.count)) + digits
    }

    private static func row(_ lane: TreeKey, at time: String) -> TreePath {
        OutboxNodes.queued() / TreeKey(unchecked: "\(time)-\(lane)")
    }

    /// Returns the time of a row.
    static func time(of row: TreeKey) -> Timestamp {
        Timestamp(milliseconds: Int64(row.string.prefix(16), radix: 16) ?? 0)
    }

    /// Returns the writes that set the row of a lane; a nil time removes it.
    static func writes(
        for lane: TreeKey, due: Timestamp?, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let head = OutboxNodes.head() / lane
        var writes: [TreeWrite] = []
        if let old = try snapshot.get(head)?.stringValue {
            writes.append(TreeWrite(path: row(lane, at: old), value: nil))
        }
        let time = due.map(key)
        writes.append(TreeWrite(path: head, value: time.map { .string($0) }))
        if let time { writes.append(TreeWrite(path: row(lane, at: time), value: .string(lane.string))) }
        return writes
    }
}

extension MultiPathUpdate {
    /// Adds writes; a later write to a path replaces an earlier one.
    mutating func add(_ writes: [TreeWrite]) {
        for write in writes { self[write.path] = write.value }
    }
}
