import Access
import Concurrency
import Logging
import Tree
import TreeModel

/// The writes that clients have stored for the end of their connections. Each has a record in the tree, from its
/// acknowledgement until it is applied or cancelled.
///
/// The record is deleted in the commit of the write, so that the write is applied exactly once, even after a crash.
/// Records are stored below the run of the process that has the connections. A store has one process at a time, so the
/// records of other runs belong to connections that have ended, and are due at the start.
final class DisconnectOperations: Sendable {
    private static let retryInterval = Duration.seconds(2)

    /// The node of all records: `{run}/{connection}/{operation}` below it.
    private let records: TreePath
    private let run: TreeKey
    private let tree: TreeStore
    private let isOpenWithoutRules: Bool
    private let logger: Logger
    /// The number of tasks that are applying writes.
    private let running = WatchedValue(0)

    /// - Parameters:
    ///   - records: The node that holds the records.
    ///   - run: The name of this run of the process, which is never used again.
    init(in tree: TreeStore, at records: TreePath, of run: PushID, isOpenWithoutRules: Bool, logger: Logger) {
        self.tree = tree
        self.records = records
        self.run = run.key
        self.isOpenWithoutRules = isOpenWithoutRules
        self.logger = logger
    }

    /// Stores an operation. Durable on return.
    ///
    /// - Throws: `TreeError`, the engine's failure.
    func add(
        _ operation: DisconnectOperation, as key: PushID, for identity: Identity, of connection: TreeKey
    ) async throws(TreeError) {
        try await tree.set(records / run / connection / key, to: operation.record(for: identity))
    }

    /// Cancels the writes that a connection has stored at a path and below it. Durable on return.
    func cancel(at path: DatabasePath, of connection: TreeKey) async throws {
        let records = records / run / connection
        try await tree.transact { snapshot, update in
            for child in try snapshot.children(of: records) {
                guard let (operation, _) = DisconnectOperation.read(child.value) else { continue }
                let rest = operation.without(path)
                if rest == operation { continue }
                update[records / child.key] = rest.map { $0.record(like: child.value) }
            }
        }
    }

    /// Applies the writes of a connection, each exactly once, even if several tasks do so at the same time.
    ///
    /// - Throws: `TreeError`, the engine's failure.
    func make(of connection: TreeKey) async throws { try await make(at: records / run / connection) }

    /// Applies the writes of a connection that has ended; retries soon after a fault.
    func makeSoon(of connection: TreeKey) { makeSoon { try await self.make(of: connection) } }

    /// Applies the writes of all connections of other runs of the process: at once, or soon if there is a fault.
    func makeLeft() async {
        do {
            try await makeAllLeft()
        } catch {
            makeSoon { try await self.makeAllLeft() }
        }
    }

    private func makeAllLeft() async throws {
        for other in try await tree.keys(of: records) where other != run {
            for connection in try await tree.keys(of: records / other) {
                try await make(at: records / other / connection)
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
                    logger.warning("a write for a disconnect cannot be applied yet", metadata: ["fault": "\(error)"])
                    try? await Task.sleep(for: Self.retryInterval)
                }
            }
        }
    }

    /// Waits until no writes are being applied, or the time limit is reached.
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

    /// Applies several writes together, and deletes their records in the same commit.
    ///
    /// - Returns: Whether that was done; if one of them was refused, or applied in the meantime, they must be applied
    ///   one by one.
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

    /// Applies one write, and deletes its record in the same commit. A write that is refused when it is due is dropped.
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
                "a write for a disconnect was refused",
                metadata: ["path": "\(operation.path.node)", "identity": "\(identity)", "error": "\(error)"])
            try await tree.set(record, to: nil)
        }
    }
}
