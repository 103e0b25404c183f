import Synchronization

/// All listeners of a store.
///
/// Telling them of a change never waits for any of them.
final class Subscriptions: Sendable {
    typealias Listener = AsyncThrowingStream<TreeEvent, any Error>.Continuation

    private struct State {
        var listeners = PathTrie<Listener>()
        var lastID: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Adds a listener; dropping the stream removes it.
    func add(at path: TreePath, bufferLimit: Int) -> AsyncThrowingStream<TreeEvent, any Error> {
        let (stream, listener) = AsyncThrowingStream.makeStream(
            of: TreeEvent.self, throwing: (any Error).self, bufferingPolicy: .bufferingOldest(max(1, bufferLimit)))
        let id = state.withLock { state in
            state.lastID += 1
            state.listeners.insert(listener, id: state.lastID, at: path)
            return state.lastID
        }
        listener.onTermination = { [weak self] _ in self?.remove(id, at: path) }
        return stream
    }

    private func remove(_ id: UInt64, at path: TreePath) {
        state.withLock { state in state.listeners.remove(id: id, at: path) }
    }

    /// Whether nobody listens.
    var isEmpty: Bool { state.withLock { $0.listeners.isEmpty } }

    /// Tells all whom a change concerns.
    ///
    /// Calls come one at a time, in the order of the change log.
    func deliver(_ change: Change) {
        // Told outside the lock: a listener that is cut off comes back to be removed.
        for (event, listeners) in events(of: change) {
            for listener in listeners {
                guard case .dropped = listener.yield(event) else { continue }
                listener.finish(
                    throwing: TreeError(
                        .overflow, "the listener fell behind by more events than its buffer holds",
                        hint: "subscribe again, or read the changes since the last token"))
            }
        }
    }

    private func events(of change: Change) -> [(TreeEvent, [Listener])] {
        state.withLock { state in
            var writes: [TreePath: [TreeWrite]] = [:]
            var listeners: [TreePath: [Listener]] = [:]
            for write in change.writes {
                state.listeners.visit(concernedBy: write.path) { place, elements in
                    writes[place, default: []].append(write)
                    if listeners[place] == nil { listeners[place] = Array(elements) }
                }
            }
            return writes.map { place, writes in
                (TreeEvent(change, writes: writes, seenFrom: place), listeners[place] ?? [])
            }
        }
    }

    /// Ends all subscriptions.
    func close() {
        let all = state.withLock { state in
            var all: [Listener] = []
            state.listeners.visit(concernedBy: .root) { _, elements in all.append(contentsOf: elements) }
            return all
        }
        for listener in all { listener.finish() }
    }
}
