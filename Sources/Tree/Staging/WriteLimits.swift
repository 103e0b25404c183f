/// The limits of one transaction for requesters who are bound by rules; all other writers wait for it.
struct WriteLimits: Sendable {
    /// The largest number of paths in an update.
    static let maxPaths = 5000
    /// The largest number of rows that are derived from an update.
    static let maxDerivedRows = 1000
    /// The number of plain rows that cost as much as one derived row.
    fileprivate static let costOfDerivedRow = 10

    /// The largest number of rows that are not staged.
    let maxRows: Int
    let derivations: Derivations

    /// Refuses an update with too many paths or derived rows.
    ///
    /// - Throws: ``TreeError`` with code `too_large`.
    func check(_ update: EncodedUpdate) throws(TreeError) {
        guard update.requester != nil else { return }
        let count = update.writes.count { !$0.isOfService }
        guard count <= Self.maxPaths else { throw Self.tooLarge("\(Self.maxPaths) paths") }
        let derived = try derivations.writeCount(for: update.writes, upTo: Self.maxDerivedRows)
        guard derived <= Self.maxDerivedRows else {
            throw Self.tooLarge("\(Self.maxDerivedRows) derived list entries and numbers")
        }
    }

    /// Refuses an update with too many rows for a single transaction.
    ///
    /// - Throws: ``TreeError`` with code `too_large`.
    func checkRows(of update: EncodedUpdate) throws(TreeError) {
        guard update.requester != nil else { return }
        let count = update.writes.reduce(0) { $0 + ($1.isOfService ? 0 : $1.rows.count) }
        guard count <= maxRows else { throw Self.tooLarge("\(maxRows) values in one step") }
    }

    private static func tooLarge(_ what: String) -> TreeError {
        TreeError(.tooLarge, "the update has more than \(what)", hint: "Write it in several updates.")
    }
}

extension JSONUpdate {
    /// Returns the approximate cost of the change for the store, as a number of paths and values.
    package func cost(in store: TreeStore) throws(TreeError) -> Int {
        let derived = try store.largeWrites.limits.derivations.writeCount(
            for: writes, upTo: WriteLimits.maxDerivedRows)
        return writes.reduce(0) { $0 + max(1, $1.rows.count) } + derived * WriteLimits.costOfDerivedRow
    }

    /// Refuses the change if it is too large for one transaction of its requester.
    ///
    /// - Throws: ``TreeError`` with code `too_large` or `conflicting_paths`.
    package func checkLimits(in store: TreeStore) throws(TreeError) {
        var update = try EncodedUpdate(writes: writes, origin: origin)
        update.requester = requester
        try store.largeWrites.limits.check(update)
        try store.largeWrites.limits.checkRows(of: update)
    }
}
