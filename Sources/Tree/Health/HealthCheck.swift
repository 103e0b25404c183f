/// Searches a store for undetected damage: at the start the most critical parts, and in the background all rows,
/// slowly.
///
/// It only reads. Damage is recorded by the ``GuardedEngine`` that it reads from.
package final class HealthCheck: BackgroundWork {
    /// The largest size of one read and of all reads in a second, in bytes of rows.
    private static let pieceBytes = 1 << 20
    private static let bytesPerSecond = 8 << 20
    /// The pause between two rounds.
    private static let rest = Duration.seconds(6 * 3600)

    private let engine: any Engine
    private let changeLog: ChangeLog
    let task = BackgroundTask(name: "Tree health check", priority: .background)

    init(engine: any Engine, changeLog: ChangeLog) {
        self.engine = engine
        self.changeLog = changeLog
    }

    // MARK: At the start

    /// Checks the ends of each keyspace and the last change, and whether committed updates are missing.
    ///
    /// - Returns: The last position of the change log.
    /// - Throws: ``TreeError``, the first damage of the store, or the error that prevented the check.
    func atStart(mark: CommitMark?) async throws(TreeError) -> SyncToken {
        while let damage = try await lookAtEnds(), try await forgetChanges(upTo: damage) {}
        return try await engine.read { [changeLog] snapshot throws(TreeError) in
            let token = try changeLog.lastToken(in: snapshot)
            try mark?.check(token)
            guard token > .start else { return token }
            let before = SyncToken(sequence: token.sequence - 1)
            try changeLog.forEach(since: before, in: snapshot) { change throws(TreeError) in
                _ = try Change(change)
                return true
            }
            return token
        }
    }

    /// - Returns: The first damaged row at the end of a keyspace; nil for none.
    private func lookAtEnds() async throws(TreeError) -> DamagedRow? {
        do {
            try await checkEnds()
            return nil
        } catch {
            guard let row = error.damagedRow else { throw error }
            return row
        }
    }

    private func checkEnds() async throws(TreeError) {
        try await engine.read { snapshot throws(TreeError) in
            var rest = ByteRange.all
            while let first = try snapshot.firstKey(in: rest, reverse: false) {
                let keyspace = ByteRange(from: Array(first.prefix(1)), upTo: first.prefix(1).map { $0 &+ 1 })
                for reverse in [false, true] {
                    try snapshot.scan(keyspace, reverse: reverse) { key, value throws(TreeError) in
                        try StoreFormat.checkRow(key: key, value: value)
                        return false
                    }
                }
                rest = ByteRange(from: keyspace.upper, upTo: rest.upper)
            }
        }
    }

    // MARK: In the background

    @concurrent
    func run() async {
        while !Task.isCancelled {
            do {
                try await round { byteCount in
                    try? await Task.sleep(for: .seconds(Double(byteCount) / Double(Self.bytesPerSecond)))
                }
            } catch {
                // Known damage of the store ends the search. Other errors are temporary, or end the store.
                if error.isDamage && error.damagedRow == nil || error.code == .closed { return }
            }
            try? await Task.sleep(for: Self.rest)
        }
    }

    /// Checks the whole store once, continuing after damaged rows.
    ///
    /// - Parameter pause: Called after each piece with its size in bytes.
    /// - Throws: ``TreeError``, the first damage of the store, or the error that prevented the check; at the end, the
    ///   damage of the first damaged row.
    package func round(pause: (_ byteCount: Int) async -> Void = { _ in }) async throws(TreeError) {
        try await engine.checkStructure()
        if let damage = try await look(through: .all, pause: pause) { throw damage }
    }

    /// Checks the whole store once, continuing after damaged rows, as fast as two threads can.
    ///
    /// - Throws: The same errors as ``round(pause:)``.
    package func roundAtOnce() async throws {
        try await engine.checkStructure()
        let middle = [StoreFormat.namedKeyspace]
        async let first = look(through: ByteRange(from: [], upTo: middle))
        let second = try await look(through: ByteRange(from: middle, upTo: ByteRange.all.upper))
        if let damage = try await first ?? second { throw damage }
    }

    /// - Returns: The damage of the first damaged row; nil for none.
    private func look(
        through range: ByteRange, pause: (_ byteCount: Int) async -> Void = { _ in }
    ) async throws(TreeError) -> TreeError? {
        var rest: ByteRange? = range
        var (damage, rowCount): (TreeError?, Int) = (nil, 0)
        while let rows = rest {
            if Task.isCancelled { break }
            do {
                let (end, byteCount) = try await engine.read(.large) { snapshot throws(TreeError) in
                    try Self.check(rows, in: snapshot)
                }
                rest = end.map { ByteRange(from: $0, upTo: rows.upper) }
                await pause(byteCount)
            } catch {
                guard let row = error.damagedRow, rowCount < TreeHealth.maxRows else { throw error }
                _ = try await forgetChanges(upTo: row)
                (damage, rowCount) = (damage ?? error, rowCount + 1)
                rest = ByteRange(from: row.key + [0], upTo: rows.upper)
                await pause(Self.pieceBytes)
            }
        }
        return damage
    }

    /// Removes the changes up to a damaged row, if the row belongs to the change log.
    ///
    /// - Returns: Whether it does.
    /// - Throws: ``TreeError``, as damage of the store if it is the last change.
    private func forgetChanges(upTo row: DamagedRow) async throws(TreeError) -> Bool {
        guard row.isOfChangeLog else { return false }
        try await engine.write { [changeLog] transaction throws(TreeError) in
            try changeLog.forget(upTo: row.key, in: transaction)
        }
        return true
    }

    /// Checks the rows of a range, up to the size of a piece.
    ///
    /// - Returns: The start of the next piece, nil after the last one, and the size of the checked rows in bytes.
    private static func check(
        _ rows: ByteRange, in snapshot: any EngineSnapshot
    ) throws(TreeError) -> (end: [UInt8]?, byteCount: Int) {
        var (last, byteCount, isInOrder): ([UInt8], Int, Bool) = ([], 0, true)
        try snapshot.scan(rows, reverse: false) { key, value throws(TreeError) in
            isInOrder = last.isEmpty || last.span.precedes(key)
            guard isInOrder, byteCount < pieceBytes else { return false }
            try StoreFormat.checkRow(key: key, value: value)
            byteCount += key.count + value.count
            last.removeAll(keepingCapacity: true)
            last.append(key)
            return true
        }
        guard isInOrder else {
            throw TreeError.corrupt("rows in the store are out of order after \(StoreFormat.place(of: last))")
        }
        return (byteCount < pieceBytes ? nil : last + [0], byteCount)
    }
}

extension StoreFormat {
    /// Checks that a row is valid in this format.
    ///
    /// - Throws: ``TreeError`` with code `corrupt`.
    static func checkRow(key: Span<UInt8>, value: Span<UInt8>) throws(TreeError) {
        guard !key.isEmpty else { throw TreeError.corrupt("a row in the store has no key") }
        switch key[0] {
        case mainKeyspace, namedKeyspace:
            try PathEncoding.check(key, below: try prefixLength(of: key))
            try LeafEncoding.check(value)
        case stagingKeyspace: try checkRow(key: key.extracting(droppingFirst: 1), value: value)
        case metaKeyspace, changeLogKeyspace, indexKeyspace, expiryByTimeKeyspace, expiryByPathKeyspace: return
        default: throw TreeError.corrupt("a row in the store is of an unknown kind")
        }
    }
}
