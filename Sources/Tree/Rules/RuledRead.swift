import TreeModel

/// The decision about a read, and the nodes that rules read for it. The decision holds until the rules or one of these
/// nodes change.
package struct RuledRead: Sendable {
    package let isAllowed: Bool
    /// The keys of the nodes' rows.
    let nodes: Set<[UInt8]>

    /// Whether every node that this decision depends on is also one of the other decision's nodes.
    package func looksAtNoMore(than other: RuledRead) -> Bool { nodes.isSubset(of: other.nodes) }
    /// Whether the decision depends on the rules alone, and not on data.
    package var looksAtNothing: Bool { nodes.isEmpty }
}

extension Requester {
    /// Decides about a read as ``judgeRead(of:matching:in:)`` does, and records the nodes that the rules read.
    ///
    /// - Throws: ``TreeError``, the engine's failure.
    package func judgement(
        of path: TreePath, matching query: TreeQuery?, in snapshot: TreeSnapshot
    ) throws(TreeError) -> RuledRead {
        let rows = NotingRows(StoredRows(snapshot: snapshot.engine))
        do {
            try judgeRead(of: path, matching: query, in: snapshot, as: rows)
            return RuledRead(isAllowed: true, nodes: rows.nodes)
        } catch {
            guard error.code == .permissionDenied else { throw error }
            return RuledRead(isAllowed: false, nodes: rows.nodes)
        }
    }
}

extension Requester {
    /// Checks a read of the changes at a path since a position, against the current rules. The result is valid for that
    /// whole time only if no node that the rules read has changed since.
    ///
    /// - Throws: ``TreeError`` with code `permission_denied`; `token_too_old` if such a node may have changed since,
    ///   and `token_unknown`.
    package func judgeRead(
        of path: TreePath, since token: SyncToken, in snapshot: TreeSnapshot
    ) throws(TreeError) {
        let rows = NotingRows(StoredRows(snapshot: snapshot.engine))
        try judgeRead(of: path, matching: nil, in: snapshot, as: rows)
        let log = snapshot.changeLog
        guard !rows.nodes.isEmpty, try log.mayHaveChange(at: rows.nodes, since: token, in: snapshot.engine) else {
            return
        }
        throw TreeError(
            .tokenTooOld, "the right to read \(path) may have changed since token \(token)", path: path,
            hint: "Take a new snapshot and continue from its token.")
    }
}

/// The rows of a state of the store; records the nodes at which they are read.
private final class NotingRows: RuledRows {
    private let stored: StoredRows
    private(set) var nodes: Set<[UInt8]> = []

    init(_ stored: StoredRows) { self.stored = stored }

    func value(for key: [UInt8]) throws(TreeError) -> [UInt8]? {
        nodes.insert(key)
        return try stored.value(for: key)
    }

    func firstKey(in range: ByteRange) throws(TreeError) -> [UInt8]? {
        // A range begins at a node, or after a part of one.
        nodes.insert(range.lower)
        return try stored.firstKey(in: range)
    }
}
