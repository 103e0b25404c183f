import Concurrency

/// The known damage of a store.
///
/// Damage of the store is damage that SQLite reports about its pages, an invalid row of the store's metadata, or
/// missing updates that had been acknowledged. The store then refuses writes, but reads continue. Damage of a single
/// row, of a tree (with a known path) or of the change log, affects only reads and writes of this row. Both last until
/// the store is opened again after a repair. Meanwhile, code that deletes data because the tree does not refer to it
/// must not do so.
public final class TreeHealth: Sendable {
    /// The largest number of damaged rows. Beyond it, the disk and therefore the store count as damaged.
    static let maxRows = 100

    private struct Findings {
        var damage: TreeError?
        var rows: [TreeError] = []
    }

    private let found = WatchedValue(Findings())

    /// The first damage of the store, with the code `corrupt` or `missing_updates`; nil if none is known.
    public var damage: TreeError? { found.value.damage }

    /// The damage of each known damaged row, in the order of discovery; each has a path unless the row belongs to the
    /// change log.
    public var damagedRows: [TreeError] { found.value.rows }

    /// The first known damage: that of the store, otherwise that of a row.
    public var finding: TreeError? {
        let findings = found.value
        return findings.damage ?? findings.rows.first
    }

    /// Throws if the store is damaged.
    ///
    /// - Throws: ``TreeError``, the damage.
    public func check() throws(TreeError) {
        if let damage { throw damage }
    }

    /// Waits until damage of the store is found, or the task is cancelled.
    public func waitForDamage() async {
        while damage == nil, !Task.isCancelled { await found.wait { $0.damage != nil } }
    }

    /// Waits until more than this number of damaged rows are known, or the task is cancelled.
    public func waitForDamagedRows(beyond count: Int) async {
        while damagedRows.count <= count, !Task.isCancelled { await found.wait { $0.rows.count > count } }
    }

    /// Records an error if it is damage that was not known before.
    ///
    /// - Returns: Whether it is the first damaged row, and no damage of the store was known.
    @discardableResult
    func note(_ failure: TreeError) -> Bool {
        guard failure.isDamage, !isKnown(failure) else { return false }
        var isFirstRow = false
        found.change { findings in
            if failure.isDamageOfPlace, findings.rows.count < Self.maxRows {
                isFirstRow = findings.damage == nil && findings.rows.isEmpty
                if !findings.rows.contains(where: failure.hasPlace) { findings.rows.append(failure) }
            } else {
                findings.damage = findings.damage ?? failure.ofStore
            }
        }
        return isFirstRow
    }

    private func isKnown(_ failure: TreeError) -> Bool {
        let findings = found.value
        return findings.damage != nil && !failure.isDamageOfPlace || findings.rows.contains(where: failure.hasPlace)
    }
}

extension TreeError {
    /// Whether another error concerns the same position.
    fileprivate func hasPlace(of other: TreeError) -> Bool {
        path == other.path && damagedRow?.key == other.damagedRow?.key
    }

    /// The error as damage of the store, for a damaged row beyond the limit.
    fileprivate var ofStore: TreeError {
        guard isDamageOfPlace else { return self }
        return .corrupt("more than \(TreeHealth.maxRows) rows of the store are damaged, one at \(path ?? .root)")
    }
}
