/// The background work of a store: it builds the indexes that the rules define, removes those that they no longer
/// define, and deletes expired nodes. The work is done in pieces, so that writers never wait for long.
///
/// All its state is in the store, so that the work continues after a restart.
final class Maintenance: BackgroundWork {
    /// The work that is left after a pass.
    enum Remainder {
        /// More work that is due now.
        case work
        /// A node will expire at some time.
        case expiry
        case nothing
    }

    private static let pollInterval = Duration.seconds(1)
    private static let retryInterval = Duration.seconds(5)

    private let engine: any Engine
    private let rules: RulesCache
    private let group: GroupCommit
    private let clock: @Sendable () -> Timestamp
    private let wakeUps = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let task = BackgroundTask(name: "Tree maintenance", priority: .utility)

    init(engine: any Engine, rules: RulesCache, group: GroupCommit, clock: @escaping @Sendable () -> Timestamp) {
        self.engine = engine
        self.rules = rules
        self.group = group
        self.clock = clock
    }

    /// Starts a pass because the rules have changed.
    func wake() { wakeUps.continuation.yield() }

    @concurrent
    func run() async {
        while !Task.isCancelled {
            do {
                switch try await pass() {
                case .work: continue
                case .expiry: try? await Task.sleep(for: Self.pollInterval)
                case .nothing: for await _ in wakeUps.stream { break }
                }
            } catch {
                guard error.code != .closed else { return }
                try? await Task.sleep(for: Self.retryInterval)
            }
        }
    }

    /// Does one piece of each task that is due.
    func pass() async throws(TreeError) -> Remainder {
        let clock = clock
        let (batches, hasExpiries, sweep) = try await engine.read { [rules] snapshot throws(TreeError) in
            let (batches, hasExpiries) = try Self.batches(in: snapshot)
            return (batches, hasExpiries, try ExpirySweep(at: clock(), rules: rules, in: snapshot))
        }
        for batch in batches {
            try await engine.write { transaction throws(TreeError) in try batch.run(in: transaction) }
        }
        try await apply(sweep)
        guard batches.isEmpty, sweep.isDone else { return .work }
        return hasExpiries || !sweep.isTableEmpty ? .expiry : .nothing
    }

    /// Returns the next piece of work for each index, and whether any rules have a time to live.
    private static func batches(
        in snapshot: any EngineSnapshot
    ) throws(TreeError) -> (batches: [IndexBatch], hasExpiries: Bool) {
        let first = RulesCatalog.key(of: .main)
        var batches: [IndexBatch] = []
        var hasExpiries = false
        try snapshot.scan(.subtree(first), reverse: false) { key, row throws(TreeError) in
            let namespace = Namespace(unchecked: key.extracting(droppingFirst: first.count).text)
            let catalog = try RulesCatalog(row: row)
            for index in catalog.indexes where index.state != .ready {
                batches.append(IndexBatch(namespace: namespace, index: index))
            }
            hasExpiries = hasExpiries || !catalog.expiries.isEmpty
            return true
        }
        return (batches, hasExpiries)
    }

    private func apply(_ sweep: ExpirySweep) async throws(TreeError) {
        if !sweep.stale.isEmpty {
            try await engine.write { transaction throws(TreeError) in
                for entry in sweep.stale { try ExpiryTable.remove(entry, in: transaction) }
            }
        }
        for update in sweep.updates { _ = try await group.commit(update) }
    }
}
