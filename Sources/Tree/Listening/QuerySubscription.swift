import Synchronization

/// All listeners of one query: they are notified of the children that come into its window, go and change.
///
/// It reads the window anew after each change at the query's node, at the cost of the window, and sends the difference.
/// Changes that come close together may be one event.
final class QuerySubscription: Sendable {
    /// The children that the query takes when a listener joins, as JSON.
    typealias Start = (json: [UInt8], token: SyncToken)

    private enum Command: Sendable {
        case refresh
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
        let json: [UInt8]
        let token: SyncToken
    }

    private let commands: AsyncStream<Command>.Continuation
    private let isRefreshing = Mutex(false)

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
        if isFirst { commands.yield(.refresh) }
    }

    // MARK: One command after the other

    private func run(
        _ command: Command, _ state: inout State, _ read: () async throws(TreeError) -> Reading
    ) async {
        switch command {
        case .leave(let id):
            state.listeners[id] = nil
        case .end:
            for recipient in state.recipients { recipient.receiver.end() }
        case .refresh:
            isRefreshing.withLock { $0 = false }
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
                answer.resume(returning: .success((reading.json, reading.token)))
            } catch {
                answer.resume(returning: .failure(error))
            }
        }
    }

    private func notify(_ reading: Reading, _ state: inout State) {
        let event = TreeEvent(from: state.window, to: reading.window, json: reading.json, token: reading.token)
        state.window = reading.window
        guard let event else { return }
        for recipient in state.recipients { recipient.receiver.receive(event, for: recipient.ids) }
    }
}

extension TreeEvent {
    /// Describes how a window became another one; nil if it is the same.
    ///
    /// One child is a put, several are a patch; a window that was empty, or is now, is a put of all that it has.
    fileprivate init?(from old: QueryWindow, to new: QueryWindow, json: [UInt8], token: SyncToken) {
        guard old != new else { return nil }
        let before = Dictionary(uniqueKeysWithValues: old.children.map { ($0.key, $0) })
        let after = Dictionary(uniqueKeysWithValues: new.children.map { ($0.key, $0) })
        let keys = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
        guard !before.isEmpty, !after.isEmpty, let first = keys.first else {
            self.init(.put, data: json, token: token)
            return
        }
        func value(_ key: TreeKey) -> [UInt8] { (try? after[key]?.json()) ?? Array("null".utf8) }
        guard keys.count > 1 else {
            self.init(.put, path: Array(first.string.utf8), data: value(first), token: token)
            return
        }
        var members = [UInt8(ascii: "{")]
        for key in keys {
            if members.count > 1 { members.append(UInt8(ascii: ",")) }
            JSONText.append(key.string.utf8.span, to: &members)
            members.append(UInt8(ascii: ":"))
            members.append(contentsOf: value(key))
        }
        members.append(UInt8(ascii: "}"))
        self.init(.patch, data: members, token: token)
    }
}
