import HTTPTypes
import Hummingbird
import Logging
import Synchronization
import Transport

/// Warns about proxies that are not configured. Each warning is logged once.
///
/// Any client of the Unix socket has full access; a proxy there gives that to the world. Over loopback all clients of a
/// proxy would be the same one.
package final class ProxyWarning: Sendable {
    private let isGivenOfSocket = Atomic(false)
    private let isGivenOfLoopback = Atomic(false)

    package init() {}

    /// Warns if the request was sent by a proxy that is not configured.
    func warn(of request: Request, _ context: HTTPContext) {
        guard context.client.isLocal || context.client.isUnnamedOnLoopback,
            let field = request.headers.proxyField?.canonicalName
        else { return }
        if context.client.isLocal, !isGivenOfSocket.exchange(true, ordering: .relaxed) {
            context.logger.warning(
                """
                a request on the Unix socket comes from a proxy (\(field)): every client of that proxy has full \
                access; let it use --listen and public-url instead (Documentation/Operations.md)
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
