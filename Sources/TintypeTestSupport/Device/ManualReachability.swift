public import TintypeClient

/// The network of a device, which a test cuts and joins.
public final class ManualReachability: Reachability {
    private struct State {
        var isReachable: Bool
        var lastID = 0
        var listeners: [Int: AsyncStream<Bool>.Continuation] = [:]
    }

    private let state: Guarded<State>

    /// Creates the network.
    ///
    /// - Parameter isReachable: Whether it is there at first.
    public init(isReachable: Bool = true) { state = Guarded(State(isReachable: isReachable)) }

    /// Whether there is a network.
    public var isReachable: Bool { state.withLock { $0.isReachable } }

    /// Cuts the network, or joins it again.
    public func set(isReachable: Bool) {
        let listeners = state.withLock { state in
            guard state.isReachable != isReachable else { return [AsyncStream<Bool>.Continuation]() }
            state.isReachable = isReachable
            return Array(state.listeners.values)
        }
        // Not within the lock, for which the end of a cancelled listener may wait.
        for listener in listeners { listener.yield(isReachable) }
    }

    /// Whether there is a network, at first and after each change. Each call begins a sequence of its own.
    public func changes() -> AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        let id = state.withLock { state in
            state.lastID += 1
            state.listeners[state.lastID] = continuation
            continuation.yield(state.isReachable)
            return state.lastID
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.listeners[id] = nil } }
        return stream
    }
}
