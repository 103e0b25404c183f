import Hummingbird
import ServiceLifecycle

extension RequestBody {
    /// Runs what answers for as long as there is something to tell, and says when it should end.
    ///
    /// - Parameter end: Called when the client goes and when the service stops, from any thread, perhaps twice.
    package func answerUntilEnd(
        _ answer: @concurrent () async throws -> Void, onEnd end: @Sendable @escaping () -> Void
    ) async throws {
        try await withGracefulShutdownHandler {
            try await consumeWithInboundCloseHandler { _ in
                try await answer()
            } onInboundClosed: {
                end()
            }
        } onGracefulShutdown: {
            end()
        }
    }
}
