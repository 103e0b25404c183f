import Access
import Concurrency
import Logging
import Model
import Tree
import TreeModel

/// The writes that clients have left for the end of their connections, each in a record of the tree from when it is
/// acknowledged until it is made or taken back.
///
/// The record is deleted in the commit of the write, so that it is made exactly once, whatever crashes. Records stand below
/// the run of the process that has the connections. As a store has one process at a time, those of other runs are of
/// connections that have ended, and are due at the start.
final class DisconnectOperations: Sendable {
    private static let retryInterval = Duration.seconds(2)

    private let run: TreeKey
    private let tree: TreeStore
    private let isOpenWithoutRules: Bool
    private let logger: Logger
    /// Connections whose writes are being made.
    private let running = WatchedValue(0)

    /// - Parameter run: The name of this run of the process, which no other has.
    init(in tree: TreeStore, of run: PushID, isOpenWithoutRules: Bool, logger: Logger) {
        self.tree = tree
        self.run = run.key
        self.isOpenWithoutRules = isOpenWithoutRules
        self.logger = logger
    }

    /// Notes an operation; durable when it returns.
    ///
    /// - Throws: `TreeError`, the engine's failure.
    func add(
        _ operation: DisconnectOperation, as key: PushID, for identity: Identity, of connection: TreeKey
    ) async throws(TreeError) {
        try await tree.set(StoreNodes.disconnect(run, connection, key), to: operation.record(for: identity))
    }

    /// Takes back what a connection has left at a path and below it; durable when it returns.
    func cancel(at path: DatabasePath, of connection: TreeKey) async throws {
        let records = StoreNodes.disconnect(run, connection)
        try await tree.transact { snapshot, update in
            for child in try snapshot.children(of: records) {
                guard let (operation, _) = DisconnectOperation.read(child.value) else { continue }
                let rest = operation.without(path)
                if rest == operation { continue }
                update[records / child.key] = rest.map { $0.record(like: child.value) }
            }
        }
    }

    /// Makes the writes of a connection, each exactly once, whoever else does the same meanwhile.
    ///
    /// - Throws: `TreeError`, the engine's failure.
    func make(of connection: TreeKey) async throws { try await make(at: StoreNodes.disconnect(run, connection)) }

    /// Makes the writes of a connection that has ended; what is in the way now is met again soon.
    func makeSoon(of connection: TreeKey) { makeSoon { try await self.make(of: connection) } }

    /// Makes the writes of all connections that ended with other runs of the process: at once, or soon if something is in the
    /// way.
    func makeLeft() async {
        do {
            try await makeAllLeft()
        } catch {
            makeSoon { try await self.makeAllLeft() }
        }
    }

    private func makeAllLeft() async throws {
        for other in try await tree.keys(of: StoreNodes.disconnect()) where other != run {
            for connection in try await tree.keys(of: StoreNodes.disconnect() / other) {
                try await make(at: StoreNodes.disconnect() / other / connection)
            }
        }
    }

    private func makeSoon(_ make: @escaping @Sendable () async throws -> Void) {
        running.change { $0 += 1 }
        Task(name: "On disconnect") {
            defer { running.change { $0 -= 1 } }
            while true {
                do {
                    return try await make()
                } catch {
                    guard (error as? TreeError)?.code != .closed else { return }
                    logger.warning("what is due at a disconnect cannot be written yet", metadata: ["fault": "\(error)"])
                    try? await Task.sleep(for: Self.retryInterval)
                }
            }
        }
    }

    /// Waits until no writes are being made, but not longer than this.
    func waitUntilDone(atMost limit: Duration) async {
        await withTaskGroup { [running] group in
            group.addTask {
                while running.value > 0, !Task.isCancelled { await running.wait { $0 == 0 } }
            }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }

    private func make(at records: TreePath) async throws {
        let children = try await tree.children(of: records)
        if children.count > 1, let batch = DisconnectBatch(children.map(\.value)),
            try await make(batch, of: children.map { records / $0.key })
        {
            return
        }
        for child in children { try await make(child.value, at: records / child.key) }
    }

    /// Makes several writes together, and deletes their records with them.
    ///
    /// - Returns: Whether that was done; where one of them is refused, or was made meanwhile, each is for itself.
    private func make(_ batch: DisconnectBatch, of records: [TreePath]) async throws(TreeError) -> Bool {
        do {
            var update = try batch.update(mayUseTreesWithoutRules: isOpenWithoutRules)
            for record in records { update.delete(ofService: record) }
            try await tree.update(update, if: records.map { .exists($0) })
            return true
        } catch {
            guard !error.isTransient, error.code != .closed else { throw error }
            return false
        }
    }

    /// Makes one write, and deletes its record with it. One that is refused, now that it is due, is not made.
    private func make(_ value: TreeValue, at record: TreePath) async throws(TreeError) {
        guard let (operation, identity) = DisconnectOperation.read(value) else {
            try await tree.set(record, to: nil)
            return
        }
        let requester = identity.requester(mayUseTreesWithoutRules: isOpenWithoutRules)
        do {
            var update = try operation.update(by: requester)
            update.delete(ofService: record)
            try await tree.update(update, if: [.exists(record)])
        } catch {
            guard error.code != .preconditionFailed else { return }
            guard !error.isTransient, error.code != .closed else { throw error }
            logger.debug(
                "what was due at a disconnect is refused",
                metadata: ["path": "\(operation.path.node)", "identity": "\(identity)", "error": "\(error)"])
            try await tree.set(record, to: nil)
        }
    }
}
