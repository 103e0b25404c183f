import Foundation
import Synchronization
import TintypeClient

/// A network that loses pieces of photos: of three, one on its way to the service, and the answer to another.
final class CuttingTransport: Transport {
    private struct State {
        var pieceCount = 0
        var cutCount = 0
        var sentCount: Int64 = 0
    }

    private let transport: any Transport
    private let state = Mutex(State())

    init(_ transport: any Transport) { self.transport = transport }

    /// The number of lost answers.
    var cutCount: Int { state.withLock(\.cutCount) }
    /// The number of bytes of pieces that were sent.
    var sentCount: Int64 { state.withLock(\.sentCount) }

    func response(
        to request: TransportRequest, progress: (@Sendable (_ sentCount: Int64) -> Void)?
    ) async throws -> TransportResponse {
        guard case .file(_, _, let count) = request.body else {
            return try await transport.response(to: request, progress: progress)
        }
        let number = state.withLock { state in
            state.pieceCount += 1
            state.sentCount += count
            if state.pieceCount % 3 != 0 { state.cutCount += 1 }
            return state.pieceCount
        }
        if number % 3 == 1 { throw TransportError(.interrupted) }
        let response = try await transport.response(to: request, progress: progress)
        if number % 3 == 2 { throw TransportError(.interrupted) }
        return response
    }

    func stream(for request: TransportRequest) async throws -> TransportStream {
        try await transport.stream(for: request)
    }
}
