import TintypeClient

/// Tells views that what they show has changed. Any number of changes that a view has not looked at are one.
final class ChangeHub: Sendable {
    private struct Listener {
        /// The only subject that it listens for; nil for all.
        let subject: Subject?
        var subjects: Set<Subject> = []
        var interests: Set<Interest> = []
        let continuation: AsyncStream<Void>.Continuation
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var lastID = 0
    }

    private let state = Guarded(State())

    /// Reports subjects that have changed.
    func report(_ subjects: Set<Subject>) {
        guard !subjects.isEmpty else { return }
        let continuations = state.withLock { state in
            var continuations: [AsyncStream<Void>.Continuation] = []
            // A copy of the ids, so that no set is copied in order to be changed.
            for id in Array(state.listeners.keys) {
                if let subject = state.listeners[id]?.subject {
                    guard subjects.contains(subject) else { continue }
                    state.listeners[id]?.subjects = [subject]
                } else {
                    state.listeners[id]?.subjects.formUnion(subjects)
                }
                if let continuation = state.listeners[id]?.continuation { continuations.append(continuation) }
            }
            return continuations
        }
        // Not within the lock: a task that is cancelled meanwhile has locked itself, and waits for this lock to remove its
        // listener, while a signal waits for the task.
        for continuation in continuations { continuation.yield() }
    }

    /// The parts of the service that open views show.
    var interests: Set<Interest> {
        state.withLock { state in state.listeners.values.reduce(into: []) { $0.formUnion($1.interests) } }
    }

    /// Begins to listen: nothing that changes from now on is missed.
    ///
    /// - Parameter subject: The only subject that the listener listens for; nil for all.
    func listen(to subject: Subject? = nil) -> Subscription {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.lastID += 1
            state.listeners[state.lastID] = Listener(subject: subject, continuation: continuation)
            return state.lastID
        }
        continuation.onTermination = { [weak self] _ in
            let listener = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
            if listener?.interests.isEmpty == false { self?.report([.interests]) }
        }
        return Subscription(id: id, signals: signals, hub: self)
    }

    /// A listener, until its signals are no longer awaited.
    struct Subscription: Sendable {
        fileprivate let id: Int
        /// One signal after any number of changes.
        fileprivate let signals: AsyncStream<Void>
        fileprivate let hub: ChangeHub

        /// Notes what the listener shows, until it ends.
        func show(_ interests: Set<Interest>) {
            let isChanged = hub.state.withLock { state in
                guard let shown = state.listeners[id]?.interests, shown != interests else { return false }
                state.listeners[id]?.interests = interests
                return true
            }
            if isChanged { hub.report([.interests]) }
        }

        /// Waits until something has changed, and returns the subjects that have since the last call; nil if the task is
        /// cancelled.
        func changes() async -> Set<Subject>? {
            for await _ in signals { return takeChanges() }
            return nil
        }

        /// Waits until something has changed.
        ///
        /// - Throws: `CancellationError`.
        func change() async throws {
            while let changes = await changes() { if !changes.isEmpty { return } }
            throw CancellationError()
        }

        private func takeChanges() -> Set<Subject> {
            hub.state.withLock { state in
                let subjects = state.listeners[id]?.subjects ?? []
                state.listeners[id]?.subjects = []
                return subjects
            }
        }
    }
}
