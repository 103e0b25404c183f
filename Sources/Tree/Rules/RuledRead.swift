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
