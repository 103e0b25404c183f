#if canImport(Network)
    internal import Dispatch
    internal import Network

    /// The network of Apple's systems, as the system sees it.
    public struct NetworkReachability: Reachability {
        /// Creates it.
        public init() {}

        /// Whether there is a network, at first and after each change. Each call begins a sequence of its own.
        public func changes() -> AsyncStream<Bool> {
            AsyncStream { continuation in
                let monitor = NWPathMonitor()
                monitor.pathUpdateHandler = { continuation.yield($0.status == .satisfied) }
                continuation.onTermination = { _ in monitor.cancel() }
                monitor.start(queue: DispatchQueue(label: "tintype.reachability"))
            }
        }
    }
#endif
