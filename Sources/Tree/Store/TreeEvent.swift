/// What one committed update changed below a subscription.
public struct TreeEvent: Hashable, Sendable {
    /// How the change is told; paths are relative to the subscription's.
    public enum Kind: Hashable, Sendable {
        /// One place was written; at the root path, all that the subscription watches.
        case put(TreeWrite)
        /// Several places were written at once, ordered by path.
        case patch([TreeWrite])
    }

    /// The position in the change log just after the update.
    public let token: SyncToken
    /// What was written.
    public let kind: Kind

    /// Tells a change as it is seen from a place at which, above which or below which it wrote.
    ///
    /// No path of an update lies above another: when one is at the watched path or above, it is the only one that
    /// concerns it.
    init(_ change: EncodedChange, writes: [EncodedWrite], seenFrom place: [UInt8]) throws(TreeError) {
        var seen: [TreeWrite] = []
        for write in writes { seen.append(try Self.write(write, seenFrom: place)) }
        token = change.token
        kind = seen.count == 1 ? .put(seen[0]) : .patch(seen)
    }

    private static func write(_ write: EncodedWrite, seenFrom place: [UInt8]) throws(TreeError) -> TreeWrite {
        guard write.key.count > place.count else {
            return TreeWrite(path: .root, value: try write.rows.value(below: Array(place[write.key.count...])))
        }
        let keys = try PathEncoding.decodeKeys(write.key.span.extracting(droppingFirst: place.count))
        return TreeWrite(path: TreePath(keys), value: try write.rows.value(below: []))
    }
}
