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
        let place = StorageFormat.dataKey(path)
        let id = state.withLock { state in
            state.lastID += 1
            state.listeners.insert(listener, id: state.lastID, at: place)
            return state.lastID
        }
        listener.onTermination = { [weak self] _ in self?.remove(id, at: place) }
        return stream
    }

    private func remove(_ id: UInt64, at place: [UInt8]) {
        state.withLock { state in state.listeners.remove(id: id, at: place) }
    }

    /// Whether nobody listens.
    var isEmpty: Bool { state.withLock { $0.listeners.isEmpty } }

    /// Tells all whom a change concerns.
    ///
    /// Calls come one at a time, in the order of the change log.
    func deliver(_ change: EncodedChange) {
        // Told outside the lock: a listener that is cut off comes back to be removed.
        for (place, writes, listeners) in concerned(by: change) {
            let event = Result { () throws(TreeError) in try TreeEvent(change, writes: writes, seenFrom: place) }
            for listener in listeners {
                switch event {
                case .success(let event): Self.tell(event, to: listener)
                case .failure(let error): listener.finish(throwing: error)
                }
            }
        }
    }

    private static func tell(_ event: TreeEvent, to listener: Listener) {
        guard case .dropped = listener.yield(event) else { return }
        listener.finish(
            throwing: TreeError(
                .overflow, "the listener fell behind by more events than its buffer holds",
                hint: "subscribe again, or read the changes since the last token"))
    }

    private func concerned(by change: EncodedChange) -> [(place: [UInt8], writes: [EncodedWrite], [Listener])] {
        state.withLock { state in
            guard !state.listeners.isEmpty else { return [] }
            var found: [[UInt8]: (writes: [EncodedWrite], listeners: [Listener])] = [:]
            for write in change.writes where !write.isPriority {
                state.listeners.visit(concernedBy: write.key) { place, elements in
                    found[place, default: ([], Array(elements.values))].writes.append(write)
                }
            }
            return found.map { ($0.key, $0.value.writes, $0.value.listeners) }
        }
    }

    /// Ends all subscriptions.
    func close() {
        let all = state.withLock { state in
            var all: [Listener] = []
            state.listeners.visitAll { all.append($0) }
            return all
        }
        for listener in all { listener.finish() }
    }
}
