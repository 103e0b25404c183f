import Synchronization

/// How much has come over all connections since the start.
final class Traffic: Sendable {
    private let requests = Atomic(0)
    private let bytes = Atomic(0)

    /// Requests, with those that became streams and sessions.
    var requestCount: Int { requests.load(ordering: .relaxed) }
    /// Bytes of requests.
    var byteCount: Int { bytes.load(ordering: .relaxed) }

    func countRequest() { requests.wrappingAdd(1, ordering: .relaxed) }

    func count(_ byteCount: Int) { bytes.wrappingAdd(byteCount, ordering: .relaxed) }
}
