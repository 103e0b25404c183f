import Synchronization

/// A way to many listeners at once, such as all connections of one event loop.
public protocol LiveOutlet: AnyObject, Sendable {
    /// Hands an event to listeners of this outlet; must not wait for any of them.
    ///
    /// Calls come one at a time, in the order of the change log. An event may come to a listener that has just begun,
    /// and has read a later state than the event's; it knows that by the token.
    func send(_ event: LiveEvent, to listeners: [UInt64])
    /// Tells listeners that what they listen to cannot be told any more, such as a query whose index is gone.
    func cancel(_ listeners: [UInt64])
    /// Tells that no more events come to any of its listeners: the store has been closed.
    func end()
}

/// Tells listeners of committed updates: each event is put into words once, however many listen.
///
/// Writers only leave their change here; a task takes it to the listeners. When it falls behind, writers wait, so that
/// what is underway has a bound.
final class LiveHub: Sendable {
    /// How many changes may wait to be told.
    static let maxBacklog = 4096

    private struct State {
        var listeners = PathTrie<any LiveOutlet>()
        var lastID: UInt64 = 0
        var backlog: [EncodedChange] = []
        var isTelling = false
        var waitingWriters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    // MARK: Listeners

    /// Adds a listener at a place; from now on it is told of every change there.
    func add(_ outlet: any LiveOutlet, at place: [UInt8]) -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            state.listeners.insert(outlet, id: state.lastID, at: place)
            return state.lastID
        }
    }

    /// A name for a listener that is told by somebody else.
    func makeID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    func remove(_ id: UInt64, at place: [UInt8]) {
        state.withLock { $0.listeners.remove(id: id, at: place) }
    }

    /// The places below another one that are listened to, other than by queries, which look for themselves.
    func places(strictlyBelow place: [UInt8]) -> [[UInt8]] {
        state.withLock { state in
            guard !state.listeners.isEmpty else { return [] }
            var places: [[UInt8]] = []
            state.listeners.visit(concernedBy: place) { found, listeners in
                guard found.count > place.count, listeners.values.contains(where: { !($0 is QueryFeed) }) else {
                    return
                }
                places.append(found)
            }
            return places
        }
    }

    /// Whether somebody other than a query listens at a place or above it.
    func isHeard(at place: [UInt8]) -> Bool {
        state.withLock { state in
            var isHeard = false
            state.listeners.visit(concernedBy: place) { found, listeners in
                guard found.count <= place.count, !isHeard else { return }
                isHeard = listeners.values.contains { !($0 is QueryFeed) }
            }
            return isHeard
        }
    }

    /// Ends all listening.
    func close() {
        let outlets = state.withLock { state in
            var outlets: [ObjectIdentifier: any LiveOutlet] = [:]
            state.listeners.visitAll { outlets[ObjectIdentifier($0)] = $0 }
            return outlets
        }
        for outlet in outlets.values { outlet.end() }
    }

    // MARK: Changes

    /// Leaves a change to be told; calls come in the order of the change log.
    func publish(_ change: EncodedChange) {
        let begins = state.withLock { state in
            guard !state.listeners.isEmpty else { return false }
            state.backlog.append(change)
            defer { state.isTelling = true }
            return !state.isTelling
        }
        if begins { Task { await self.tellAll() } }
    }

    /// Waits while too many changes wait to be told.
    func waitForRoom() async {
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                guard state.backlog.count >= Self.maxBacklog else { return true }
                state.waitingWriters.append(continuation)
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }

    @concurrent
    private func tellAll() async {
        while true {
            let (changes, writers) = state.withLock { state in
                defer {
                    state.isTelling = !state.backlog.isEmpty
                    state.backlog = []
                    state.waitingWriters = []
                }
                return (state.backlog, state.waitingWriters)
            }
            for writer in writers { writer.resume() }
            guard !changes.isEmpty else { return }
            for change in changes { tell(change) }
        }
    }

    private func tell(_ change: EncodedChange) {
        for (place, listeners) in concerned(by: change) {
            // What the store has written it can read: nothing is told wrongly, it is not told.
            let event = try? LiveEvent(change, seenFrom: place)
            for (outlet, ids) in listeners {
                if let feed = outlet as? QueryFeed {
                    feed.refresh()
                } else if let event {
                    outlet.send(event, to: ids)
                }
            }
        }
    }

    private typealias Group = (outlet: any LiveOutlet, ids: [UInt64])

    private func concerned(by change: EncodedChange) -> [[UInt8]: [Group]] {
        state.withLock { state in
            var places: [[UInt8]: [Group]] = [:]
            for write in change.writes {
                state.listeners.visit(concernedBy: write.key) { place, listeners in
                    guard places[place] == nil, !change.unchangedPlaces.contains(place) else { return }
                    var groups: [ObjectIdentifier: Group] = [:]
                    for (id, outlet) in listeners {
                        groups[ObjectIdentifier(outlet), default: (outlet, [])].ids.append(id)
                    }
                    places[place] = Array(groups.values)
                }
            }
            return places
        }
    }
}
