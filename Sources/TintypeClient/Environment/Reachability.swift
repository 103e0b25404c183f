/// The state of a device's network. It is a hint: requests are attempted in any case, sooner after a change.
public protocol Reachability: Sendable {
    /// Whether there is a network, at first and after each change. Each call begins a sequence of its own.
    func changes() -> AsyncStream<Bool>
}

/// A device of which nothing is known, so that requests are attempted as if it had a network.
public struct UnknownReachability: Reachability {
    /// Creates it.
    public init() {}

    /// One `true`, and no end.
    public func changes() -> AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        continuation.yield(true)
        return stream
    }
}
