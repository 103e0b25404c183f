import Model
import Tree

/// The record of the flags of one post or comment, hidden from clients.
struct FlagRecord: Hashable {
    let subject: FlagSubject
    /// The number of people who flag it: always the number of existing flags.
    var count: Int64 = 0
    /// The time of the first flag after a time without flags.
    var since = Timestamp.epoch
    /// Whether the operator has been notified.
    var isTold = false
    /// Whether an admin has dismissed the flags.
    var isDismissed = false

    init(of subject: FlagSubject, in snapshot: TreeSnapshot) throws(TreeError) {
        self.subject = subject
        guard let record = try snapshot.get(subject.path(below: ReactionNodes.flags())) else { return }
        count = record["count"]?.integerValue ?? 0
        since = record["since"]?.timestampValue ?? .epoch
        isTold = record["told"] == true
        isDismissed = record["dismissed"] == true
    }

    /// Returns a number as a key; greater numbers sort first.
    static func descending(_ number: Int64) -> TreeKey {
        let digits = String(Int64.max - max(0, number), radix: 16)
        return TreeKey(unchecked: "x" + String(repeating: "0", count: max(0, 16 - digits.utf8.count)) + digits)
    }

    /// The rows that list it; none without flags, or after an admin has dismissed it.
    var rows: [TreePath] {
        guard count > 0, !isDismissed else { return [] }
        return [
            subject.path(below: ReactionNodes.newestFlag() / Self.descending(since.milliseconds)),
            subject.path(below: ReactionNodes.mostFlags() / Self.descending(count)),
        ]
    }

    /// Returns the writes that update the record and its rows.
    func writes(replacing old: FlagRecord) -> [TreeWrite] {
        let path = subject.path(below: ReactionNodes.flags())
        let rows = rows
        return old.rows.filter { !rows.contains($0) }.map { TreeWrite(path: $0, value: nil) }
            + rows.map { TreeWrite(path: $0, value: true) }
            + [
                TreeWrite(path: path / "count", value: count > 0 ? .integer(count) : nil),
                TreeWrite(path: path / "since", value: count > 0 ? since.value : nil),
                TreeWrite(path: path / "told", value: isTold ? true : nil),
                TreeWrite(path: path / "dismissed", value: isDismissed ? true : nil),
            ]
    }
}
