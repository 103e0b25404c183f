import Synchronization

/// Brings a store to a later state, using the change log of another copy of the store.
package enum TreeReplay {
    /// Repeats changes from the change log of another copy of the same store.
    ///
    /// Indexes, times to live and derived data are updated as they were originally.
    ///
    /// - Parameters:
    ///   - log: The file of a store, or of its change log, that reaches back to the last change of this store.
    ///   - end: The last change to repeat.
    ///   - path: The file of the store.
    ///   - derivations: The derivations that the store had.
    ///   - report: Receives the position of each repeated change.
    /// - Throws: ``TreeError`` with code `token_too_old` or `token_unknown` if the log lacks some of the changes,
    ///   `corrupt` if a change leads to a different position than originally; the engine's failure.
    package static func run(
        _ log: String, upTo end: SyncToken, at path: String, derivations: [[any Derivation]],
        _ report: @Sendable (SyncToken) async throws -> Void
    ) async throws {
        let log = try SQLiteEngine(path: log)
        let time = Mutex(Timestamp.epoch)
        do {
            let store = try await TreeStore(
                engine: try SQLiteEngine(path: path),
                retention: ChangeRetention(count: 1 << 40, ageMilliseconds: .max / 2, byteCount: .max),
                derivations: derivations,
                isMaintained: false, clock: { time.withLock { $0 } })
            do {
                try await repeatChanges(of: log, upTo: end, in: store, time, report)
            } catch {
                await store.close()
                throw error
            }
            await store.close()
        } catch {
            await log.close()
            throw error
        }
        await log.close()
    }

    /// Returns the last change that was committed at or before a time, according to the change log of a file; nil if
    /// there is none.
    package static func lastChange(until time: Timestamp, in log: String) async throws(TreeError) -> SyncToken? {
        let engine = try SQLiteEngine(path: log)
        do {
            let last = try await engine.read { snapshot throws(TreeError) in
                let changeLog = ChangeLog(retention: ChangeRetention())
                var last: SyncToken?
                try changeLog.forEach(since: try changeLog.oldestToken(in: snapshot), in: snapshot) { change in
                    guard change.timestamp <= time else { return false }
                    last = change.token
                    return true
                }
                return last
            }
            await engine.close()
            return last
        } catch {
            await engine.close()
            throw error
        }
    }

    /// The largest number of changes that are read at a time.
    private static let batch = 500

    private static func repeatChanges(
        of log: any Engine, upTo end: SyncToken, in store: TreeStore, _ time: borrowing Mutex<Timestamp>,
        _ report: @Sendable (SyncToken) async throws -> Void
    ) async throws {
        var position = try await store.token
        while position < end {
            try Task.checkCancellation()
            let start = position
            let changes = try await log.read { snapshot throws(TreeError) in
                var changes: [EncodedChange] = []
                try ChangeLog(retention: ChangeRetention()).forEach(since: start, in: snapshot) { change in
                    guard change.token <= end, changes.count < batch else { return false }
                    changes.append(change)
                    return true
                }
                return changes
            }
            guard !changes.isEmpty else { throw TreeError(.tokenUnknown, "the change log ends before change \(end)") }
            for change in changes {
                time.withLock { $0 = change.timestamp }
                position = try await store.largeWrites.commit(EncodedUpdate(repeating: change)).token
                guard position == change.token else {
                    throw TreeError.corrupt("change \(change.token) of the log became change \(position)")
                }
                try await report(position)
            }
        }
    }
}

extension EncodedUpdate {
    /// Creates an update that repeats a change.
    fileprivate init(repeating change: EncodedChange) {
        writes = change.writes
        preconditions = []
        origin = change.origin
        byteCount = change.writes.reduce(0) { $0 + $1.byteCount }
        isRepeated = true
    }
}
