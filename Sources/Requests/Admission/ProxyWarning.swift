import HTTPTypes
import Hummingbird
import Logging
import Synchronization
import Transport

/// The warnings of a proxy of which the operator has said nothing. Each is given once: that is enough for a log.
///
/// Whoever reaches the Unix socket owns everything; a proxy there hands that to the world. Over loopback all its clients
/// would be the same one.
package final class ProxyWarning: Sendable {
    private let isGivenOfSocket = Atomic(false)
    private let isGivenOfLoopback = Atomic(false)

    package init() {}

    /// Warns if the request comes from a proxy that nobody has named.
    func warn(of request: Request, _ context: HTTPContext) {
        guard context.client.isLocal || context.client.isUnnamedOnLoopback,
            let field = request.headers.proxyField?.canonicalName
        else { return }
        if context.client.isLocal, !isGivenOfSocket.exchange(true, ordering: .relaxed) {
            context.logger.warning(
                """
                a request on the Unix socket comes from a proxy (\(field)): whoever reaches that proxy owns \
                everything here; let it use --listen and public-url instead (Documentation/Operations.md)
                """)
        } else if !context.client.isLocal, !isGivenOfLoopback.exchange(true, ordering: .relaxed) {
            context.logger.warning(
                """
                a request over loopback comes from a proxy (\(field)) that behind-proxy does not name: all its clients \
                share the limits of one; name it, such as --behind-proxy 127.0.0.1 (Documentation/Operations.md)
                """)
        }
    }
}
