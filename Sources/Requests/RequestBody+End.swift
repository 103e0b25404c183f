import Hummingbird
import ServiceLifecycle

extension RequestBody {
    /// Runs the work that sends a response until it ends, and signals when it should end.
    ///
    /// - Parameter end: Called when the client disconnects and when the service stops, from any thread, possibly twice.
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
