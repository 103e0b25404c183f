import API
import HTTPTypes
import Hummingbird
import Logging
import Synchronization

/// Keeps web pages of other sites away from the TCP listener, and warns about proxies at the Unix socket.
///
/// A page can make a browser send requests to 127.0.0.1, and can give its own host name that address (DNS rebinding) to
/// read the answers. Against the latter: the `Host` must be a name of this machine, or the public one. Against the former:
/// a request that changes something must come from our own page, from one that is let in, or from no page (Fetch Metadata,
/// `Origin`, `Referer`). The Unix socket is trusted.
///
/// The database answers also to the names that databases have with their vendor: no page can give these another address.
final class LoopbackGuard: RouterMiddleware {
    private let names: HostNames
    /// Whose pages may change something, beside our own.
    private let origins: AllowedOrigins
    /// Whether a proxy at the socket has been warned of: once is enough for a log.
    private let hasWarned = Atomic(false)

    init(names: HostNames, origins: AllowedOrigins) {
        self.names = names
        self.origins = origins
    }

    func handle(
        _ request: Request, context: RequestContext,
        next: @concurrent (Request, RequestContext) async throws -> Response
    ) async throws -> Response {
        if context.isTrusted {
            warnOfProxy(request, context)
        } else {
            try checkHost(request)
            try checkSite(request.head)
        }
        return try await next(request, context)
    }

    private func checkHost(_ request: Request) throws(Failure) {
        guard names.isOwn(request.head) else {
            let known = ["localhost", "127.0.0.1", names.publicHost].compactMap { $0 }.joined(separator: ", ")
            throw Failure(
                .foreignHost, "this service answers to \(known) only",
                hint: "behind a proxy, let public-url name the address by which the service is known")
        }
    }

    /// Whoever reaches the socket owns everything; a proxy there hands that to the world.
    private func warnOfProxy(_ request: Request, _ context: RequestContext) {
        guard let field = Self.proxyFields.first(where: { request.headers[$0] != nil }),
            hasWarned.exchange(true, ordering: .relaxed) == false
        else { return }
        context.logger.warning(
            """
            a request on the Unix socket comes from a proxy (\(field.canonicalName)): whoever reaches that proxy owns \
            everything here; let it use --listen and public-url instead (Documentation/Operations.md)
            """)
    }

    /// What proxies say about a request (RFC 7239, RFC 9110 §7.6.3).
    private static let proxyFields = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"]
        .compactMap { HTTPField.Name($0) }

    private func checkSite(_ head: HTTPRequest) throws(Failure) {
        guard ![.get, .head, .options].contains(head.method), origins != .any else { return }
        let site = head.headerFields[.secFetchSite] ?? "none"
        let page = head.pageOrigin
        if let page, origins.contains(page) { return }
        let own = head.authority.map { "http://\($0)".lowercased() }
        guard ["none", "same-origin"].contains(site), page == nil || page == own else {
            throw Failure(
                .crossSite, "a page of another site may not change anything here",
                hint: "use the service's own page, or a client that is no browser")
        }
    }
}

extension HTTPField.Name {
    /// A name from a constant in the source.
    init(parsed name: StaticString) {
        guard let parsed = HTTPField.Name(name.description) else { preconditionFailure("\(name) is no field name") }
        self = parsed
    }
}
