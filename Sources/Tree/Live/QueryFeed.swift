import Synchronization

/// Tells listeners of what a query takes: which children come into its window, go and change.
///
/// All listeners of the same query share one. It reads the window anew after each change at the place, at the cost of
/// the window, and tells the difference; changes that come close together may be told as one.
final class QueryFeed: LiveOutlet {
    /// What the query takes when a listener joins, as JSON.
    typealias Start = (json: [UInt8], token: SyncToken)

    private enum Command: Sendable {
        case refresh
        case join(id: UInt64, outlet: any LiveOutlet, answer: CheckedContinuation<Result<Start, TreeError>, Never>)
        case leave(id: UInt64)
    }

    private struct State {
        var listeners: [UInt64: any LiveOutlet] = [:]
        var window = QueryWindow(children: [], leaf: nil)
        var token = SyncToken.start
    }

    /// One state of the tree, as far as the query sees it.
    struct Reading: Sendable {
        let window: QueryWindow
        let json: [UInt8]
        let token: SyncToken
    }

    private let commands: AsyncStream<Command>.Continuation
    private let isRefreshing = Mutex(false)

    /// Begins a feed; `read` gives it the present state of the tree, or throws when it is too much to be told.
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
    /// - Returns: What the query takes now; all events that it is told of come after it.
    func join(_ id: UInt64, on outlet: any LiveOutlet) async throws(TreeError) -> Start {
        let result = await withCheckedContinuation { continuation in
            if case .terminated = commands.yield(.join(id: id, outlet: outlet, answer: continuation)) {
                continuation.resume(returning: .failure(.closed))
            }
        }
        return try result.get()
    }

    func leave(_ id: UInt64) { commands.yield(.leave(id: id)) }

    /// Ends the feed; nobody may join any more.
    func finish() { commands.finish() }

    // MARK: What the store tells

    func send(_ event: LiveEvent, to listeners: [UInt64]) { refresh() }

    /// Reads the window anew, because of a change at the place.
    func refresh() {
        let isFirst = isRefreshing.withLock { isRefreshing in
            defer { isRefreshing = true }
            return !isRefreshing
        }
        if isFirst { commands.yield(.refresh) }
    }

    func cancel(_ listeners: [UInt64]) {}

    func end() { finish() }

    // MARK: What is told

    private func run(
        _ command: Command, _ state: inout State, _ read: () async throws(TreeError) -> Reading
    ) async {
        switch command {
        case .leave(let id):
            state.listeners[id] = nil
        case .refresh:
            isRefreshing.withLock { $0 = false }
            guard !state.listeners.isEmpty else { return }
            do throws(TreeError) {
                tell(try await read(), &state)
            } catch {
                for (outlet, ids) in Self.groups(of: state.listeners) { outlet.cancel(ids) }
                state.listeners = [:]
            }
        case .join(let id, let outlet, let answer):
            do throws(TreeError) {
                let reading = try await read()
                tell(reading, &state)
                state.listeners[id] = outlet
                answer.resume(returning: .success((reading.json, reading.token)))
            } catch {
                answer.resume(returning: .failure(error))
            }
        }
    }

    private func tell(_ reading: Reading, _ state: inout State) {
        let event = LiveEvent(from: state.window, to: reading.window, json: reading.json, token: reading.token)
        state.window = reading.window
        state.token = reading.token
        guard let event else { return }
        for (outlet, ids) in Self.groups(of: state.listeners) { outlet.send(event, to: ids) }
    }

    private static func groups(of listeners: [UInt64: any LiveOutlet]) -> [(outlet: any LiveOutlet, ids: [UInt64])] {
        var groups: [ObjectIdentifier: (outlet: any LiveOutlet, ids: [UInt64])] = [:]
        for (id, outlet) in listeners { groups[ObjectIdentifier(outlet), default: (outlet, [])].ids.append(id) }
        return Array(groups.values)
    }
}

extension LiveEvent {
    /// Tells how a window became another one; nil if it is the same.
    ///
    /// One child is a put, several are a patch; a window that was empty, or is now, is told whole.
    fileprivate init?(from old: QueryWindow, to new: QueryWindow, json: [UInt8], token: SyncToken) {
        guard old != new else { return nil }
        let before = Dictionary(uniqueKeysWithValues: old.children.map { ($0.key, $0) })
        let after = Dictionary(uniqueKeysWithValues: new.children.map { ($0.key, $0) })
        let keys = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
        guard !before.isEmpty, !after.isEmpty, let first = keys.first else {
            self.init(.put, path: [], data: json, token: token)
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
        self.init(.patch, path: [], data: members, token: token)
    }
}
