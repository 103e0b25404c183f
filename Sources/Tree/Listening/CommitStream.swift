import Concurrency
import Synchronization

/// The committed updates in their order, on their way to all who listen.
///
/// A writer only leaves its change here. One task takes the changes to the listeners, and puts each into words once for
/// all who listen at a node. It waits for no listener: a receiver must not block, and a subscription that falls behind
/// is cut off. When the task itself falls behind, writers wait, so that what is underway has a bound.
final class CommitStream: Sendable {
    /// The most changes that may wait to be delivered.
    static let maxBacklog = 4096

    private struct State {
        var listeners = ListenerTable()
        var backlog: [EncodedChange] = []
        var isDelivering = false
        var waitingForRoom: [CheckedContinuation<Void, Never>] = []
        var waitingForDelivery: [CheckedContinuation<Void, Never>] = []
        /// Those who wait until what is in the backlog now is delivered.
        var fences: [CheckedContinuation<Void, Never>] = []
        /// The nodes that the transaction under way has begun to write.
        var writtenNodes: [[UInt8]] = []
    }

    private struct Position {
        var last = SyncToken.start
        var isClosed = false
    }

    private let state = Mutex(State())
    /// The number of transactions that have ended.
    private let endedCount = WatchedValue(0)
    private let position = WatchedValue(Position())

    // MARK: Listeners

    /// Adds a listener at a node; from now on it learns of every change there.
    ///
    /// - Returns: Its number.
    func add(_ target: ListenerTable.Target, at node: [UInt8]) -> UInt64 {
        state.withLock { $0.listeners.add(target, at: node) }
    }

    /// A number for a listener that is not in the table: one of a query's many.
    func makeID() -> UInt64 { state.withLock { $0.listeners.makeID() } }

    func remove(_ id: UInt64, at node: [UInt8]) { state.withLock { $0.listeners.remove(id, at: node) } }

    var hasListeners: Bool { state.withLock { !$0.listeners.isEmpty } }

    /// Notes that the transaction under way is about to write a node, and gives the nodes below it at which somebody
    /// listens (``ListenerTable/listenedNodes(strictlyBelow:)``).
    ///
    /// A listener that is added there later is not among them. It waits for the end of the transaction
    /// (``waitForWrites(above:)``).
    func listenedNodes(belowWriteAt node: [UInt8]) -> [[UInt8]] {
        state.withLock { state in
            state.writtenNodes.append(node)
            return state.listeners.isEmpty ? [] : state.listeners.listenedNodes(strictlyBelow: node)
        }
    }

    /// See ``ListenerTable/hasReceiver(atOrAbove:)``.
    func hasReceiver(atOrAbove node: [UInt8]) -> Bool {
        state.withLock { $0.listeners.hasReceiver(atOrAbove: node) }
    }

    /// Waits for the end of the transaction under way if it writes above a node, or until the task is cancelled.
    ///
    /// A listener calls it between being added and its first read. The transaction may not know of the listener, and would
    /// then tell it of the write even where that changes nothing.
    func waitForWrites(above node: [UInt8]) async {
        // Counted first: a transaction that begins after this one's end knows of the listener.
        let count = endedCount.value
        let isWritten = state.withLock { state in
            state.writtenNodes.contains { $0.count < node.count && node.starts(with: $0) }
        }
        if isWritten { await endedCount.wait { $0 > count } }
    }

    /// Notes the end of the transaction under way, whether it changed anything or not.
    func endWrites() {
        state.withLock { $0.writtenNodes = [] }
        endedCount.change { $0 += 1 }
    }

    // MARK: Changes

    /// Leaves the changes of one transaction; calls come in the order of the change log.
    func publish(_ changes: [EncodedChange]) {
        guard let last = changes.last?.token else { return }
        let begins = state.withLock { state in
            guard !state.listeners.isEmpty else { return false }
            state.backlog += changes
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        // For all commits that wait, whoever's is the first.
        if begins { Task.detached(name: "Tree events") { await self.deliverAll() } }
        position.change { $0.last = last }
    }

    /// Waits while too many changes wait to be delivered.
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

    /// Waits until all changes that have been published so far have come to all who receive events.
    ///
    /// What queries make of them may come later (``QuerySubscription/waitUntilRefreshed()``).
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

    /// Waits until there are changes after a position, the stream is closed or the task is cancelled.
    func waitForChange(after token: SyncToken) async {
        await position.wait { $0.isClosed || $0.last > token }
    }

    /// Delivers what has come, ends all listeners and wakes all who wait. No changes come any more.
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

    /// Takes a change to all whom it concerns; outside the lock, as a subscription that ends comes back to be removed.
    private func deliver(_ change: EncodedChange) {
        let groups = state.withLock { $0.listeners.groups(concernedBy: change) }
        // Of places above first: whoever listens to both may want to be told but once.
        for (node, group) in groups.sorted(by: { $0.key.count < $1.key.count }) {
            if !group.recipients.isEmpty {
                // What the store has written it can read; what it could not read would be left out, not reported
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
