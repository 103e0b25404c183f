import Foundation
import Synchronization
import TintypeClient

/// A network with faults in front of another one.
final class FaultyTransport: Transport {
    /// The fate of a request.
    enum Fate: Sendable {
        /// It is answered by the service.
        case answered
        /// It does not arrive.
        case lost
        /// It arrives, and its answer does not.
        case unanswered
        /// It never ends, until its task is cancelled.
        case hanging
        /// Something before the service answers.
        case refused(TransportResponse)
    }

    private let transport: any Transport
    private let fates: Mutex<[Fate]>
    private let isConcerned: @Sendable (TransportRequest) -> Bool
    private let (happening, end) = AsyncStream.makeStream(of: Never.self)

    /// - Parameters:
    ///   - fates: The fates of the first requests that are concerned; all later ones are answered.
    ///   - isConcerned: Whether a request is one of them; all writes but signing in, unless said otherwise.
    init(
        _ transport: any Transport, _ fates: [Fate],
        isConcerned: @escaping @Sendable (TransportRequest) -> Bool = {
            $0.method != "GET" && !$0.url.path.contains("googleapis")
        }
    ) {
        self.transport = transport
        self.fates = Mutex(fates)
        self.isConcerned = isConcerned
    }

    /// The number of requests whose fate is still to come.
    var remainingCount: Int { fates.withLock(\.count) }

    /// Waits until the last fate has come.
    func untilAllHaveHappened() async { for await _ in happening {} }

    func response(
        to request: TransportRequest, progress: (@Sendable (_ sentCount: Int64) -> Void)?
    ) async throws -> TransportResponse {
        switch next(request) {
        case .answered: return try await transport.response(to: request, progress: progress)
        case .lost: throw TransportError(.timedOut)
        case .unanswered:
            _ = try await transport.response(to: request, progress: progress)
            throw TransportError(.interrupted)
        case .hanging:
            try await Task.sleep(for: .seconds(86_400))
            throw TransportError(.timedOut)
        case .refused(let response): return response
        }
    }

    func stream(for request: TransportRequest) async throws -> TransportStream {
        try await transport.stream(for: request)
    }

    private func next(_ request: TransportRequest) -> Fate {
        guard isConcerned(request) else { return .answered }
        return fates.withLock { fates in
            guard !fates.isEmpty else { return .answered }
            defer { if fates.isEmpty { end.finish() } }
            return fates.removeFirst()
        }
    }
}
