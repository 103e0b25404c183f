/// The most that somebody whom rules bind writes in one transaction, for which all others wait.
struct WriteLimits: Sendable {
    /// The most paths of an update.
    static let maxPaths = 5000
    /// The most rows that follow from an update.
    static let maxDerivedRows = 1000
    /// The number of rows only written that cost as much as one that follows from them.
    fileprivate static let costOfDerivedRow = 10

    /// The most rows that are not staged before.
    let maxRows: Int
    let derivations: Derivations

    /// Refuses an update that writes more than it may, or from which more follows.
    ///
    /// - Throws: ``TreeError`` with code `too_large`.
    func check(_ update: EncodedUpdate) throws(TreeError) {
        guard update.requester != nil else { return }
        guard update.writes.count <= Self.maxPaths else { throw Self.tooLarge("\(Self.maxPaths) paths") }
        let derived = try derivations.writeCount(for: update.writes, upTo: Self.maxDerivedRows)
        guard derived <= Self.maxDerivedRows else {
            throw Self.tooLarge("\(Self.maxDerivedRows) entries of lists and numbers that follow from it")
        }
    }

    /// Refuses an update that goes into one transaction and has more rows than such a one may.
    ///
    /// - Throws: ``TreeError`` with code `too_large`.
    func checkRows(of update: EncodedUpdate) throws(TreeError) {
        guard update.requester != nil else { return }
        let count = update.writes.reduce(0) { $0 + $1.rows.count }
        guard count <= maxRows else { throw Self.tooLarge("\(maxRows) values in one step") }
    }

    private static func tooLarge(_ what: String) -> TreeError {
        TreeError(.tooLarge, "the update has more than \(what)", hint: "write it in several updates")
    }
}

extension JSONUpdate {
    /// About how much the store has to do for the change, in paths and values to be written.
    package func cost(in store: TreeStore) throws(TreeError) -> Int {
        let derived = try store.largeWrites.limits.derivations.writeCount(
            for: writes, upTo: WriteLimits.maxDerivedRows)
        return writes.reduce(0) { $0 + max(1, $1.rows.count) } + derived * WriteLimits.costOfDerivedRow
    }

    /// Refuses the change if it is too much for one transaction of whom it is made for.
    ///
    /// - Throws: ``TreeError`` with code `too_large` or `conflicting_paths`.
    package func checkLimits(in store: TreeStore) throws(TreeError) {
        var update = try EncodedUpdate(writes: writes, origin: origin)
        update.requester = requester
        try store.largeWrites.limits.check(update)
        try store.largeWrites.limits.checkRows(of: update)
    }
}
