import Synchronization

/// All listeners of one query: they are notified of the children that come into its window, go and change.
///
/// It reads the window anew after each change at the query's node, at the cost of the window, and sends the difference.
/// Changes that come close together may be one event.
final class QuerySubscription: Sendable {
    /// The children that the query takes when a listener joins, as JSON.
    typealias Start = (reading: Reading, token: SyncToken)

    private enum Command: Sendable {
        case refresh
        case fence(CheckedContinuation<Void, Never>)
        case join(id: UInt64, receiver: any EventReceiver, answer: CheckedContinuation<Result<Start, TreeError>, Never>)
        case leave(id: UInt64)
        case end
    }

    private struct State {
        var listeners: [UInt64: any EventReceiver] = [:]
        var window = QueryWindow(children: [], leaf: nil)

        var recipients: some Collection<EventRecipient> { EventRecipient.grouping(listeners.map { ($0, $1) }) }
    }

    /// One state of the tree, as far as the query sees it.
    struct Reading: Sendable {
        let window: QueryWindow
        /// What the query takes, in the plain form.
        let json: [UInt8]
        let token: SyncToken

        /// What the query takes, in this form.
        func json(_ form: JSONForm) throws(TreeError) -> [UInt8] {
            switch form {
            case .plain: json
            case .export: try window.json(form)
            }
        }
    }

    private let commands: AsyncStream<Command>.Continuation
    private let isRefreshing = Mutex(false)
    /// Refreshes that have been begun and not ended.
    private let refreshCount = Atomic(0)

    /// Makes one without listeners; `read` gives it the present state of the tree, or throws when that is too much.
    init(read: @escaping @Sendable () async throws(TreeError) -> Reading) {
        let (stream, continuation) = AsyncStream.makeStream(of: Command.self)
        commands = continuation
        Task { [weak self] in
            var state = State()
            for await command in stream { await self?.run(command, &state, read) }
        }
    }

    /// Adds a listener.
    ///
    /// - Returns: What the query takes now; all events that it is sent come after it.
    func join(_ id: UInt64, notifying receiver: any EventReceiver) async throws(TreeError) -> Start {
        let result = await withCheckedContinuation { continuation in
            if case .terminated = commands.yield(.join(id: id, receiver: receiver, answer: continuation)) {
                continuation.resume(returning: .failure(.closed))
            }
        }
        return try result.get()
    }

    func leave(_ id: UInt64) { commands.yield(.leave(id: id)) }

    /// Ends the subscription, which nobody uses any more.
    func finish() { commands.finish() }

    /// Ends the subscription and all who listen, because the store has been closed.
    func end() {
        commands.yield(.end)
        finish()
    }

    /// Reads the window anew, because of a change at the node.
    func refresh() {
        let isFirst = isRefreshing.withLock { isRefreshing in
            defer { isRefreshing = true }
            return !isRefreshing
        }
        guard isFirst else { return }
        refreshCount.add(1, ordering: .acquiringAndReleasing)
        commands.yield(.refresh)
    }

    /// Waits until all changes that have been delivered so far (``CommitStream/waitForDelivery()``) have come to all who
    /// listen to the query.
    func waitUntilRefreshed() async {
        guard refreshCount.load(ordering: .acquiring) > 0 else { return }
        await withCheckedContinuation { continuation in
            if case .terminated = commands.yield(.fence(continuation)) { continuation.resume() }
        }
    }

    // MARK: One command after the other

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
        case .refresh:
            isRefreshing.withLock { $0 = false }
            defer { refreshCount.subtract(1, ordering: .acquiringAndReleasing) }
            guard !state.listeners.isEmpty else { return }
            do throws(TreeError) {
                notify(try await read(), &state)
            } catch {
                for recipient in state.recipients { recipient.receiver.cancel(recipient.ids) }
                state.listeners = [:]
            }
        case .join(let id, let receiver, let answer):
            do throws(TreeError) {
                let reading = try await read()
                notify(reading, &state)
                state.listeners[id] = receiver
                answer.resume(returning: .success((reading, reading.token)))
            } catch {
                answer.resume(returning: .failure(error))
            }
        }
    }

    private func notify(_ reading: Reading, _ state: inout State) {
        let before = state.window
        state.window = reading.window
        guard before != reading.window else { return }
        state.recipients.receive { form in try? TreeEvent(from: before, to: reading, form) }
    }
}

extension TreeEvent {
    /// Describes how a window became another one.
    ///
    /// One child is a put, several are a patch; a window that was empty, or is now, is a put of all that it has.
    fileprivate init(
        from old: QueryWindow, to reading: QuerySubscription.Reading, _ form: JSONForm
    ) throws(TreeError) {
        let (new, token) = (reading.window, reading.token)
        let before = Dictionary(uniqueKeysWithValues: old.children.map { ($0.key, $0) })
        let after = Dictionary(uniqueKeysWithValues: new.children.map { ($0.key, $0) })
        let keys = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
        guard !before.isEmpty, !after.isEmpty, let first = keys.first else {
            self.init(.put, data: try reading.json(form), token: token)
            return
        }
        func value(_ key: TreeKey) throws(TreeError) -> [UInt8] { try after[key]?.json(form) ?? Array("null".utf8) }
        guard keys.count > 1 else {
            self.init(.put, path: Array(first.string.utf8), data: try value(first), token: token)
            return
        }
        var members: [UInt8] = []
        for key in keys { members.append(member: key, try value(key)) }
        members.append(UInt8(ascii: "}"))
        self.init(.patch, data: members, token: token)
    }
}

extension QueryWindow {
    /// What the query takes: an object of the children in their order, or a leaf; `null` for nothing.
    fileprivate func json(_ form: JSONForm) throws(TreeError) -> [UInt8] {
        if let leaf = try leafJSON(form) { return leaf }
        guard !children.isEmpty else { return Array("null".utf8) }
        var members: [UInt8] = []
        for child in children { members.append(member: child.key, try child.json(form)) }
        members.append(UInt8(ascii: "}"))
        return members
    }
}

extension [UInt8] {
    /// Appends a member of an object that is being written, and its beginning before the first one.
    fileprivate mutating func append(member key: TreeKey, _ json: [UInt8]) {
        append(UInt8(ascii: isEmpty ? "{" : ","))
        JSONText.append(key.string.utf8.span, to: &self)
        append(UInt8(ascii: ":"))
        append(contentsOf: json)
    }
}
