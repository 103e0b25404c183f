import Model
import Tree

/// What is known of the flags of one post or comment, out of the sight of clients.
struct FlagRecord: Hashable {
    let subject: FlagSubject
    /// How many people flag it: always the number of flags that there are.
    var count: Int64 = 0
    /// When it was flagged by somebody while nobody had.
    var since = Timestamp.epoch
    /// Whether the operator was told of it.
    var isTold = false
    /// Whether an admin had nothing against it.
    var isDismissed = false

    init(of subject: FlagSubject, in snapshot: TreeSnapshot) throws(TreeError) {
        self.subject = subject
        guard let record = try snapshot.get(subject.path(below: ReactionNodes.flags())) else { return }
        count = record["count"]?.integerValue ?? 0
        since = record["since"]?.timestampValue ?? .epoch
        isTold = record["told"] == true
        isDismissed = record["dismissed"] == true
    }

    /// Numbers as keys, the greatest first.
    static func descending(_ number: Int64) -> TreeKey {
        let digits = String(Int64.max - max(0, number), radix: 16)
        return TreeKey(unchecked: "x" + String(repeating: "0", count: max(0, 16 - digits.utf8.count)) + digits)
    }

    /// The rows that list it; none while nobody flags it, or when an admin had nothing against it.
    var rows: [TreePath] {
        guard count > 0, !isDismissed else { return [] }
        return [
            subject.path(below: ReactionNodes.newestFlag() / Self.descending(since.milliseconds)),
            subject.path(below: ReactionNodes.mostFlags() / Self.descending(count)),
        ]
    }

    /// The writes that bring the record and its rows.
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
