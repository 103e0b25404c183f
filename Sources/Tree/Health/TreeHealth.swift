import Concurrency

/// Whether a store can be trusted: sound as far as is known, or the damage that was found in it.
///
/// Damage of the store is what SQLite says about its pages, a row of its own notes that nobody can have written, or updates that
/// had been acknowledged and are gone: then the store refuses writes, and reads go on. Damage of a row of a tree, of which the path
/// is known, or of the change log is only in the way of reads and writes over this row. Either lasts until the store is opened anew, after somebody has
/// looked: meanwhile, whoever deletes something because the tree does not name it has to let it be.
public final class TreeHealth: Sendable {
    /// The most rows that may be damaged. Where there are more, it is the disk that is, and with it the store.
    static let maxRows = 100

    private struct Findings {
        var damage: TreeError?
        var rows: [TreeError] = []
    }

    private let found = WatchedValue(Findings())

    /// The first damage of the store that was found, with the code `corrupt` or `missing_updates`; nil while none is known.
    public var damage: TreeError? { found.value.damage }

    /// The damage of each row that is known to be damaged, in the order in which they were found; with its path, but for the
    /// change log's.
    public var damagedRows: [TreeError] { found.value.rows }

    /// The first damage that is known, of the store before that of a row.
    public var finding: TreeError? {
        let findings = found.value
        return findings.damage ?? findings.rows.first
    }

    /// Refuses to go on upon damage of the store.
    ///
    /// - Throws: ``TreeError``, the damage.
    public func check() throws(TreeError) {
        if let damage { throw damage }
    }

    /// Waits until damage of the store is found, or the task is cancelled.
    public func waitForDamage() async {
        while damage == nil, !Task.isCancelled { await found.wait { $0.damage != nil } }
    }

    /// Waits until more damaged rows are known than a number, or the task is cancelled.
    public func waitForDamagedRows(beyond count: Int) async {
        while damagedRows.count <= count, !Task.isCancelled { await found.wait { $0.rows.count > count } }
    }

    /// Notes a failure if it is damage that was not known before.
    ///
    /// - Returns: Whether it is the first damaged row, and the store had none before.
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
    /// Whether other damage is of the same place.
    fileprivate func hasPlace(of other: TreeError) -> Bool {
        path == other.path && damagedRow?.key == other.damagedRow?.key
    }

    /// The same damage, where it is one place too many.
    fileprivate var ofStore: TreeError {
        guard isDamageOfPlace else { return self }
        return .corrupt("more than \(TreeHealth.maxRows) rows of the store are damaged, one at \(path ?? .root)")
    }
}
