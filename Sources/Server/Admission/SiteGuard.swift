import API
import HTTPTypes
import Hummingbird
import Logging
import Synchronization

/// Keeps web pages of other sites away from the TCP listener, and warns about proxies at the Unix socket.
///
/// A page can make a browser send requests to 127.0.0.1, and can give its own host name that address (DNS rebinding) to
/// read the answers. Against the latter: the `Host` must be a name of this machine, or the public one. Against the
/// former: a request that changes something must come from our own page, from one that is let in, or from no page
/// (Fetch Metadata, `Origin`, `Referer`). The Unix socket is trusted.
struct SiteGuard: RouterMiddleware {
    /// The hosts that the service answers to.
    var names: HostNames
    /// Whose pages may change something, beside our own.
    let origins: AllowedOrigins
    let proxyWarning: ProxyWarning

    func handle(
        _ request: Request, context: RequestContext,
        next: @concurrent (Request, RequestContext) async throws -> Response
    ) async throws -> Response {
        if context.isTrusted { proxyWarning.warn(of: request, context) }
        try check(request.head, from: context.client)
        return try await next(request, context)
    }

    /// Refuses a request that a page of another site sends, or may have made a browser send.
    ///
    /// - Throws: `Failure` with the code `not_encrypted`, `foreign_host` or `cross_site`.
    func check(_ head: HTTPRequest, from client: ClientConnection) throws(Failure) {
        guard !client.isLocal else { return }
        guard client.isPrivate else {
            throw Failure(
                .notEncrypted, "this service is reached through its proxy, or with TLS",
                hint: "behind-proxy lists the addresses of the proxy")
        }
        try checkHost(head, at: client.localAddress)
        try checkSite(head, scheme: client.isEncrypted ? "https" : "http")
    }

    /// Refuses a WebSocket that a page of another site opens: browsers let it do so, and read it (RFC 6455, section 10.2).
    ///
    /// - Throws: As ``check(_:from:)``.
    func checkSocket(_ head: HTTPRequest, from client: ClientConnection) throws(Failure) {
        var head = head
        // With it one writes, too.
        head.method = .post
        try check(head, from: client)
    }

    private func checkHost(_ head: HTTPRequest, at localAddress: IPAddress?) throws(Failure) {
        guard names.isOwn(head, at: localAddress) else {
            let known = ["localhost", "127.0.0.1", names.publicHost].compactMap { $0 }.joined(separator: ", ")
            throw Failure(
                .foreignHost, "this service answers to \(known) only",
                hint: "let public-url name the address by which the service is known")
        }
    }

    private func checkSite(_ head: HTTPRequest, scheme: String) throws(Failure) {
        guard ![.get, .head, .options].contains(head.method), origins != .any else { return }
        let site = head.headerFields[.secFetchSite] ?? "none"
        let page = head.pageOrigin
        if let page, origins.contains(page) { return }
        let own = head.authority.map { "\(scheme)://\($0)".lowercased() }
        guard ["none", "same-origin"].contains(site), page == nil || page == own else {
            throw Failure(
                .crossSite, "a page of another site may not change anything here",
                hint: "use the service's own page, or a client that is no browser")
        }
    }
}

/// The warning of a proxy at the Unix socket, which is given once: that is enough for a log.
///
/// Whoever reaches the socket owns everything; a proxy there hands that to the world.
final class ProxyWarning: Sendable {
    /// What proxies say about a request (RFC 7239, RFC 9110 §7.6.3).
    private static let proxyFields = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"]
        .compactMap { HTTPField.Name($0) }

    private let isGiven = Atomic(false)

    /// Warns if the request comes from a proxy.
    func warn(of request: Request, _ context: RequestContext) {
        guard let field = Self.proxyFields.first(where: { request.headers[$0] != nil }),
            isGiven.exchange(true, ordering: .relaxed) == false
        else { return }
        context.logger.warning(
            """
            a request on the Unix socket comes from a proxy (\(field.canonicalName)): whoever reaches that proxy owns \
            everything here; let it use --listen and public-url instead (Documentation/Operations.md)
            """)
    }
}
