import Synchronization

/// The amount of traffic over all connections since the start.
package final class Traffic: Sendable {
    private let requests = Atomic(0)
    private let bytes = Atomic(0)

    package init() {}

    /// The number of requests, including those that became streams and sessions.
    package var requestCount: Int { requests.load(ordering: .relaxed) }
    /// The number of bytes of requests.
    package var byteCount: Int { bytes.load(ordering: .relaxed) }

    package func countRequest() { requests.wrappingAdd(1, ordering: .relaxed) }

    func count(_ byteCount: Int) { bytes.wrappingAdd(byteCount, ordering: .relaxed) }
}
