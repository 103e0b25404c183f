import API
import Model
import Tree

/// A pending delivery or a dead letter.
struct OutboxEntry {
    let id: DeliveryID
    /// The notification as it was created, so that it is delivered even if the list of notifications has dropped it.
    let notification: TreeValue
    /// The time of its cause.
    let since: Timestamp
    /// The number of failed attempts.
    let attempts: Int
    /// The earliest time of the next attempt.
    let due: Timestamp
    /// The failure of the last attempt; nil before any failure.
    let error: String?
    /// The time of the last attempt, or of the request to retry; that of the cause before.
    let updated: Timestamp

    init(_ id: DeliveryID, _ record: TreeValue) {
        self.id = id
        notification = record["notification"] ?? .object([:])
        since = record["since"]?.timestampValue ?? .epoch
        attempts = Int(clamping: record["attempts"]?.integerValue ?? 0)
        due = record["due"]?.timestampValue ?? .epoch
        error = record["error"]?.stringValue
        updated = record["updated"]?.timestampValue ?? since
    }

    /// Returns the record after another failure.
    func failed(_ error: String, at now: Timestamp, due: Timestamp) -> TreeValue {
        record(attempts: attempts + 1, at: now, due: due, error: error)
    }

    /// Returns the record without attempts.
    func untried(at now: Timestamp) -> TreeValue { record(attempts: 0, at: now, due: .epoch, error: nil) }

    private func record(attempts: Int, at now: Timestamp, due: Timestamp, error: String?) -> TreeValue {
        var fields: [TreeKey: TreeValue] = [
            "notification": notification, "since": since.value, "updated": max(updated, now).value,
        ]
        if attempts > 0 { fields["attempts"] = .integer(Int64(attempts)) }
        if due > .epoch { fields["due"] = due.value }
        if let error { fields["error"] = .string(error) }
        return .object(fields)
    }

    func document(isDead: Bool) -> OutboxEntryDocument {
        OutboxEntryDocument(
            id: id.description, to: id.to, kind: notification["kind"]?.stringValue ?? "unknown",
            isDead: isDead, since: since.milliseconds, attempts: attempts,
            due: due > .epoch && !isDead ? due.milliseconds : nil, error: error, updated: updated.milliseconds)
    }
}

extension OutboxEntry {
    /// Reads a pending delivery or a dead letter; nil if it does not exist.
    init?(_ id: DeliveryID, below root: TreePath, in snapshot: TreeSnapshot) throws(TreeError) {
        guard let record = try snapshot.get(id.path(below: root)) else { return nil }
        self.init(id, record)
    }

    /// Returns the first delivery of a lane; nil if the lane is empty.
    static func first(of lane: TreeKey, in snapshot: TreeSnapshot) throws(TreeError) -> OutboxEntry? {
        guard let first = try snapshot.children(of: OutboxNodes.entry() / lane, limit: 1).first,
            let id = DeliveryID(position: first.key, lane: lane)
        else { return nil }
        return OutboxEntry(id, first.value)
    }
}
