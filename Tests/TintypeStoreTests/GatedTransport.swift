import Synchronization
import TintypeClient

/// A transport that holds the answers to some requests back, although the service has carried them out.
final class GatedTransport: Transport {
    private let transport: any Transport
    private let isHeld: @Sendable (TransportRequest) -> Bool
    private let (opening, opener) = AsyncStream.makeStream(of: Never.self)
    private let (holding, holder) = AsyncStream.makeStream(of: Void.self)

    private let isLosing: Bool
    private let isOpen = Mutex(false)

    /// - Parameter isLosing: Whether the answers that were held back are lost in the end.
    init(
        _ transport: any Transport, losing isLosing: Bool = false,
        holding isHeld: @escaping @Sendable (TransportRequest) -> Bool
    ) {
        (self.transport, self.isLosing, self.isHeld) = (transport, isLosing, isHeld)
    }

    /// Lets the answers through.
    func open() {
        isOpen.withLock { $0 = true }
        opener.finish()
    }

    /// Waits until the service has carried out a request whose answer is held back.
    func untilHeld() async { for await _ in holding { return } }

    func response(
        to request: TransportRequest, progress: (@Sendable (Int64) -> Void)?
    ) async throws -> TransportResponse {
        let response = try await transport.response(to: request, progress: progress)
        if isHeld(request), !isOpen.withLock(\.self) {
            holder.yield()
            for await _ in opening {}
            if isLosing { throw TransportError(.interrupted) }
        }
        return response
    }

    func stream(for request: TransportRequest) async throws -> TransportStream {
        try await transport.stream(for: request)
    }
}
