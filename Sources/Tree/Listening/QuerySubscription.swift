import Synchronization

/// The listeners of one query, which are notified of children that enter, leave or change in its window.
///
/// It keeps the window in memory, updates it with one commit after the other, and sends the differences: each commit is
/// one event. If the store must be read to update the window, or too many commits wait, it reads the window again. All
/// commits up to that read then become one event, because a window that mixes old and new values would be a state that
/// never existed.
final class QuerySubscription: Sendable {
    /// The children that match the query when a listener joins, as JSON.
    typealias Start = (reading: Reading, token: SyncToken)

    /// The largest number of waiting changes, and their largest size in bytes.
    private static let (maxChanges, maxBytes) = (CommitStream.maxBacklog, 4 << 20)

    private enum Command: Sendable {
        case change(EncodedChange)
        case refresh
        case fence(CheckedContinuation<Void, Never>)
        case join(
            id: UInt64, receiver: any EventReceiver, client: ReadingClient?,
            answer: CheckedContinuation<Result<Start, TreeError>, Never>)
        case leave(id: UInt64)
        case end
    }

    private struct State {
        var listeners: [UInt64: any EventReceiver] = [:]
        var window = QueryWindow(children: [], leaf: nil)
        /// The same window in a form that can be updated with the next change; nil if it must be read again.
        var followed: FollowedWindow?
        /// The position of the window in the change log.
        var token = SyncToken.start

        var recipients: some Collection<EventRecipient> { EventRecipient.grouping(listeners.map { ($0, $1) }) }
    }

    /// The changes that wait to be applied to the window.
    private struct Waiting {
        var changes = 0
        var bytes = 0
        /// Whether the window will be read again; it will then include all earlier commits.
        var isRefreshing = false
    }

    /// The result of the query in one state of the tree.
    struct Reading: Sendable {
        let window: QueryWindow
        let followed: FollowedWindow?
        /// The matching children, in the plain form.
        let json: [UInt8]
        let token: SyncToken

        /// Returns the matching children in this form.
        func json(_ form: JSONForm) throws(TreeError) -> [UInt8] {
            switch form {
            case .plain: json
            case .export: try window.json(form)
            }
        }
    }

    private let commands: AsyncStream<Command>.Continuation
    private let waiting = Mutex(Waiting())
    /// The number of received changes and refreshes that are not finished.
    private let workCount = Atomic(0)

    /// Creates a subscription without listeners; `read` returns the result in the current state of the tree, or throws
    /// if it is too large.
    init(read: @escaping @Sendable () async throws(TreeError) -> Reading) {
        let (stream, continuation) = AsyncStream.makeStream(of: Command.self)
        commands = continuation
        // Detached, because it works for all listeners, not only for the first.
        Task.detached { [weak self] in
            var state = State()
            for await command in stream { await self?.run(command, &state, read) }
        }
    }

    /// Adds a listener; the query is read on behalf of its client.
    ///
    /// - Returns: The current result of the query; all events that the listener receives are later.
    func join(_ id: UInt64, notifying receiver: any EventReceiver) async throws(TreeError) -> Start {
        let result = await withCheckedContinuation { continuation in
            let command = Command.join(
                id: id, receiver: receiver, client: ReadingClient.current, answer: continuation)
            if case .terminated = commands.yield(command) { continuation.resume(returning: .failure(.closed)) }
        }
        return try result.get()
    }

    func leave(_ id: UInt64) { commands.yield(.leave(id: id)) }

    /// Ends the subscription when it has no listeners any more.
    func finish() { commands.finish() }

    /// Ends the subscription and all its listeners, because the store has been closed.
    func end() {
        commands.yield(.end)
        finish()
    }

    /// Applies a change that concerns the node to the window. Calls must be in the order of the change log.
    func follow(_ change: EncodedChange) {
        waiting.withLock { waiting in
            guard !waiting.isRefreshing else { return }
            let byteCount = change.byteCount
            guard waiting.changes < Self.maxChanges, waiting.bytes + byteCount <= Self.maxBytes else {
                return refresh(&waiting)
            }
            waiting.changes += 1
            waiting.bytes += byteCount
            yield(.change(change))
        }
    }

    /// Reads the window again, for another reason than a change at the node.
    func refresh() { waiting.withLock { refresh(&$0) } }

    private func refresh(_ waiting: inout Waiting) {
        guard !waiting.isRefreshing else { return }
        waiting.isRefreshing = true
        yield(.refresh)
    }

    private func yield(_ work: Command) {
        workCount.add(1, ordering: .acquiringAndReleasing)
        commands.yield(work)
    }

    /// Waits until all changes that have been delivered so far (``CommitStream/waitForDelivery()``) have reached the
    /// listeners of the query.
    func waitUntilRefreshed() async {
        guard workCount.load(ordering: .acquiring) > 0 else { return }
        await withCheckedContinuation { continuation in
            if case .terminated = commands.yield(.fence(continuation)) { continuation.resume() }
        }
    }

    // MARK: Commands, one at a time

    private func run(
        _ command: Command, _ state: inout State, _ read: () async throws(TreeError) -> Reading
    ) async {
        switch command {
        case .leave(let id):
            state.listeners[id] = nil
        case .fence(let continuation):
            continuation.resume()
        case .end:
            for recipient in state.recipients { recipient.receiver.end() }
        case .change(let change):
            waiting.withLock { waiting in
                waiting.changes -= 1
                waiting.bytes -= change.byteCount
            }
            defer { workCount.subtract(1, ordering: .acquiringAndReleasing) }
            guard !state.listeners.isEmpty, change.token > state.token else { return }
            guard let followed = try? state.followed?.taking(change) else { return await readAnew(&state, read) }
            let before = state.window
            (state.window, state.followed, state.token) = (followed.window, followed, change.token)
            guard before != state.window else { return }
            state.recipients.receive(committedAt: change.committedAt) { form in
                try? TreeEvent(from: before, to: followed.window, form, token: change.token) { () throws(TreeError) in
                    try followed.json(form)
                }
            }
        case .refresh:
            waiting.withLock { $0.isRefreshing = false }
            defer { workCount.subtract(1, ordering: .acquiringAndReleasing) }
            guard !state.listeners.isEmpty else { return }
            await readAnew(&state, read)
        case .join(let id, let receiver, let client, let answer):
            do throws(TreeError) {
                // Existing listeners must not wait behind all reads of the new listener's client.
                let client = state.listeners.isEmpty ? client : client?.amongListeners
                let reading = try await ReadingClient.read(for: client, read)
                notify(reading, &state)
                state.listeners[id] = receiver
                answer.resume(returning: .success((reading, reading.token)))
            } catch {
                answer.resume(returning: .failure(error))
            }
        }
    }

    private func readAnew(_ state: inout State, _ read: () async throws(TreeError) -> Reading) async {
        do throws(TreeError) {
            notify(try await ReadingClient.read(for: .listeners, read), &state)
        } catch {
            for recipient in state.recipients { recipient.receiver.cancel(recipient.ids) }
            state.listeners = [:]
        }
    }

    private func notify(_ reading: Reading, _ state: inout State) {
        let before = state.window
        (state.window, state.followed, state.token) = (reading.window, reading.followed, reading.token)
        guard before != reading.window else { return }
        state.recipients.receive(committedAt: nil) { form in
            try? TreeEvent(from: before, to: reading.window, form, token: reading.token) { () throws(TreeError) in
                try reading.json(form)
            }
        }
    }
}
