import TreeModel

/// The judgement of a read, and at what rules have looked for it: as long as nothing of that changes, neither the rules, it
/// holds.
package struct RuledRead: Sendable {
    package let isAllowed: Bool
    /// The keys of rows at the nodes.
    let nodes: Set<[UInt8]>

    /// Whether the judgement rests on nothing but what another one rests on.
    package func looksAtNoMore(than other: RuledRead) -> Bool { nodes.isSubset(of: other.nodes) }
    /// Whether it rests on rules alone, and not on data.
    package var looksAtNothing: Bool { nodes.isEmpty }
}

extension Requester {
    /// Judges a read as ``judgeRead(of:matching:in:)`` does, and notes at what the rules look.
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
    /// Judges a read of what has happened at a path since a position, by what rules say now: that holds for all that time only if
    /// nothing has changed at which they look.
    ///
    /// - Throws: ``TreeError`` with code `permission_denied`; `token_too_old` where something of that may have changed since, and
    ///   `token_unknown`.
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
            .tokenTooOld, "who may read \(path) may have changed since token \(token)", path: path,
            hint: "take a new snapshot and go on from its token")
    }
}

/// The rows of a state of the store, which notes for which nodes it is searched.
private final class NotingRows: RuledRows {
    private let stored: StoredRows
    private(set) var nodes: Set<[UInt8]> = []

    init(_ stored: StoredRows) { self.stored = stored }

    func value(for key: [UInt8]) throws(TreeError) -> [UInt8]? {
        nodes.insert(key)
        return try stored.value(for: key)
    }

    func firstKey(in range: ByteRange) throws(TreeError) -> [UInt8]? {
        // A range begins at a node, or behind a part of one.
        nodes.insert(range.lower)
        return try stored.firstKey(in: range)
    }
}
