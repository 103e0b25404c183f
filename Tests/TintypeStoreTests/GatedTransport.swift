import TintypeClient

/// A transport that holds the answers to some requests back, although the service has carried them out.
final class GatedTransport: Transport {
    private let transport: any Transport
    private let isHeld: @Sendable (TransportRequest) -> Bool
    private let (opening, opener) = AsyncStream.makeStream(of: Never.self)
    private let (holding, holder) = AsyncStream.makeStream(of: Void.self)

    init(_ transport: any Transport, holding isHeld: @escaping @Sendable (TransportRequest) -> Bool) {
        self.transport = transport
        self.isHeld = isHeld
    }

    /// Lets the answers through.
    func open() { opener.finish() }

    /// Waits until the service has carried out a request whose answer is held back.
    func untilHeld() async { for await _ in holding { return } }

    func response(
        to request: TransportRequest, progress: (@Sendable (Int64) -> Void)?
    ) async throws -> TransportResponse {
        let response = try await transport.response(to: request, progress: progress)
        if isHeld(request) {
            holder.yield()
            for await _ in opening {}
        }
        return response
    }

    func stream(for request: TransportRequest) async throws -> TransportStream {
        try await transport.stream(for: request)
    }
}
