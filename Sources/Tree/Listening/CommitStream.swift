import Concurrency
import Synchronization

/// The committed updates in their order, on their way to the listeners.
///
/// A writer only adds its changes. One task delivers them, and encodes each change once for all listeners at a node. It
/// does not wait for listeners: a receiver must not block, and a subscription that falls behind is ended. If the task
/// itself falls behind, writers wait, so that the backlog is bounded.
final class CommitStream: Sendable {
    /// The largest number of changes that may wait for delivery.
    static let maxBacklog = 4096

    private struct State {
        var listeners = ListenerTable()
        var backlog: [EncodedChange] = []
        var isDelivering = false
        var waitingForRoom: [CheckedContinuation<Void, Never>] = []
        var waitingForDelivery: [CheckedContinuation<Void, Never>] = []
        /// The callers that wait until the current backlog is delivered.
        var fences: [CheckedContinuation<Void, Never>] = []
        /// The nodes that the current transaction has begun to write.
        var writtenNodes: [[UInt8]] = []
    }

    private struct Position {
        var last = SyncToken.start
        var isClosed = false
    }

    private let state = Mutex(State())
    /// The number of finished transactions.
    private let endedCount = WatchedValue(0)
    private let position = WatchedValue(Position())

    // MARK: Listeners

    /// Adds a listener at a node. It receives every later change there.
    ///
    /// - Returns: The id of the listener.
    func add(_ target: ListenerTable.Target, at node: [UInt8]) -> UInt64 {
        state.withLock { $0.listeners.add(target, at: node) }
    }

    /// Returns an id for a listener that is not in the table because it belongs to a query.
    func makeID() -> UInt64 { state.withLock { $0.listeners.makeID() } }

    func remove(_ id: UInt64, at node: [UInt8]) { state.withLock { $0.listeners.remove(id, at: node) } }

    var hasListeners: Bool { state.withLock { !$0.listeners.isEmpty } }

    /// Records that the current transaction is about to write a node, and returns the nodes below it that have
    /// listeners (``ListenerTable/listenedNodes(strictlyBelow:)``).
    ///
    /// A listener that is added there later is not included. It waits for the end of the transaction
    /// (``waitForWrites(above:)``).
    func listenedNodes(belowWriteAt node: [UInt8]) -> [[UInt8]] {
        state.withLock { state in
            state.writtenNodes.append(node)
            return state.listeners.isEmpty ? [] : state.listeners.listenedNodes(strictlyBelow: node)
        }
    }

    /// Whether an event receiver listens at a node or above it; see ``ListenerTable/hasReceiver(atOrAbove:)``.
    func hasReceiver(atOrAbove node: [UInt8]) -> Bool {
        state.withLock { $0.listeners.hasReceiver(atOrAbove: node) }
    }

    /// Waits for the end of the current transaction if it writes above a node, or until the task is cancelled.
    ///
    /// A listener calls this after it has been added and before its first read. The transaction may not include the
    /// listener in its comparison, and would then notify it of a write that changes nothing.
    func waitForWrites(above node: [UInt8]) async {
        // The count is read first: a transaction that begins after this one includes the listener.
        let count = endedCount.value
        let isWritten = state.withLock { state in
            state.writtenNodes.contains { $0.count < node.count && node.starts(with: $0) }
        }
        if isWritten { await endedCount.wait { $0 > count } }
    }

    /// Records the end of the current transaction, whether or not it changed anything.
    func endWrites() {
        state.withLock { $0.writtenNodes = [] }
        endedCount.change { $0 += 1 }
    }

    // MARK: Changes

    /// Adds the changes of one transaction. Calls must be in the order of the change log.
    func publish(_ changes: [EncodedChange]) {
        guard let last = changes.last?.token else { return }
        let begins = state.withLock { state in
            guard !state.listeners.isEmpty else { return false }
            state.backlog += changes
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        // Detached, because it works for all waiting commits, not only for the first.
        if begins { Task.detached(name: "Tree events") { await self.deliverAll() } }
        position.change { $0.last = last }
    }

    /// Waits while the backlog is full.
    func waitForRoom() async {
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                guard state.backlog.count >= Self.maxBacklog else { return true }
                state.waitingForRoom.append(continuation)
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }

    /// Waits until all changes that have been published so far have been delivered to event receivers.
    ///
    /// The events of queries may arrive later (``QuerySubscription/waitUntilRefreshed()``).
    func waitForDelivery() async {
        guard state.withLock({ $0.isDelivering }) else { return }
        await withCheckedContinuation { continuation in
            let isDelivered = state.withLock { state in
                if state.isDelivering { state.fences.append(continuation) }
                return !state.isDelivering
            }
            if isDelivered { continuation.resume() }
        }
    }

    /// Waits until a change after a position exists, the stream is closed, or the task is cancelled.
    func waitForChange(after token: SyncToken) async {
        await position.wait { $0.isClosed || $0.last > token }
    }

    /// Delivers the backlog, ends all listeners and wakes all waiting callers. No changes may be published afterwards.
    func close() async {
        await withCheckedContinuation { continuation in
            let isDelivered = state.withLock { state in
                if state.isDelivering { state.waitingForDelivery.append(continuation) }
                return !state.isDelivering
            }
            if isDelivered { continuation.resume() }
        }
        var receivers: [ObjectIdentifier: any EventReceiver] = [:]
        for target in state.withLock({ $0.listeners.everybody() }) {
            switch target {
            case .receiver(let receiver): receivers[ObjectIdentifier(receiver)] = receiver
            case .subscription(let buffer): buffer.finish()
            case .query(let query): query.end()
            case .watcher: break
            }
        }
        for receiver in receivers.values { receiver.end() }
        position.change { $0.isClosed = true }
    }

    // MARK: Delivery

    @concurrent
    private func deliverAll() async {
        while true {
            let (changes, writers, closers, fences) = state.withLock { state in
                defer {
                    state.isDelivering = !state.backlog.isEmpty
                    state.backlog = []
                    state.waitingForRoom = []
                    state.fences = []
                    if !state.isDelivering { state.waitingForDelivery = [] }
                }
                let closers = state.backlog.isEmpty ? state.waitingForDelivery : []
                return (state.backlog, state.waitingForRoom, closers, state.fences)
            }
            for continuation in writers + closers { continuation.resume() }
            for change in changes { deliver(change) }
            for continuation in fences { continuation.resume() }
            guard !changes.isEmpty else { return }
        }
    }

    /// Delivers a change to all affected listeners. This runs outside the lock, because a subscription that ends is
    /// removed from the table.
    private func deliver(_ change: EncodedChange) {
        let groups = state.withLock { $0.listeners.groups(concernedBy: change) }
        // Nodes further up come first, because a client that listens to both may need only one notification.
        for (node, group) in groups.sorted(by: { $0.key.count < $1.key.count }) {
            if !group.recipients.isEmpty {
                // The store can read what it has written; an unreadable change would be left out rather than reported
                // wrongly.
                if let view = try? ChangeView(change, from: node, priorities: .asNodes) {
                    group.recipients.receive(committedAt: change.committedAt) { form in
                        try? TreeEvent(view, form)
                    }
                }
            }
            if !group.subscriptions.isEmpty {
                let seen = Result { () throws(TreeError) in
                    try ChangeView(change, from: node, priorities: .hidden).map { view throws(TreeError) in
                        try Change(view)
                    }
                }
                for buffer in group.subscriptions { buffer.add(seen) }
            }
            for query in group.queries { query.follow(change) }
            for changed in group.watchers { changed() }
        }
    }
}
