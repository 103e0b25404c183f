package import API
package import HTTPTypes
package import Hummingbird
package import Transport

/// Refuses web pages of other sites at the TCP listener, and warns about proxies that are not configured.
///
/// A page can make a browser send requests to 127.0.0.1, and can give its own host name that address (DNS rebinding) to
/// read the responses. Against the latter: the `Host` must be a name of this machine, or the public one. Against the
/// former: a request that changes something must be sent by our own page, by one of an allowed origin, or by no page
/// (Fetch Metadata, `Origin`, `Referer`). The Unix socket is trusted.
package struct SiteGuard: RouterMiddleware {
    /// The host names of the service.
    package var names: HostNames
    /// The origins, in addition to our own, whose pages may send changes.
    package let origins: AllowedOrigins
    package let proxyWarning: ProxyWarning

    package init(names: HostNames, origins: AllowedOrigins, proxyWarning: ProxyWarning) {
        self.names = names
        self.origins = origins
        self.proxyWarning = proxyWarning
    }

    package func handle(
        _ request: Request, context: HTTPContext,
        next: @concurrent (Request, HTTPContext) async throws -> Response
    ) async throws -> Response {
        proxyWarning.warn(of: request, context)
        try check(request.head, from: context.client)
        return try await next(request, context)
    }

    /// Refuses a request that a page of another site sends, or may have made a browser send.
    ///
    /// - Throws: `Failure` with the code `not_encrypted`, `foreign_host` or `cross_site`.
    package func check(_ head: HTTPRequest, from client: ClientConnection) throws(Failure) {
        guard !client.isLocal else { return }
        guard client.isPrivate else {
            throw Failure(
                .notEncrypted, "this service is reached through its proxy, or with TLS",
                hint: "List the addresses of the proxy in behind-proxy.")
        }
        try checkHost(head, at: client.localAddress)
        try checkSite(head, own: ownOrigin(head, client))
    }

    /// Refuses a WebSocket that a page of another site opens: browsers permit such pages to open and read it (RFC 6455,
    /// section 10.2).
    ///
    /// - Throws: See ``check(_:from:)``.
    package func checkSocket(_ head: HTTPRequest, from client: ClientConnection) throws(Failure) {
        var head = head
        // A WebSocket can also write.
        head.method = .post
        try check(head, from: client)
    }

    /// Refuses a script response to all but pages that may read: browsers run scripts of any site for any page.
    ///
    /// - Throws: `Failure` with the code `cross_site`.
    package func checkScript(_ head: HTTPRequest, from client: ClientConnection) throws(Failure) {
        guard !client.isLocal, origins != .any else { return }
        guard let page = head.pageOrigin, origins.contains(page) || page == ownOrigin(head, client) else {
            throw Failure(
                .crossSite, "a response by callback is for pages of the service and of allowed-origins",
                hint: "Leave callback out, or name the page's origin in allowed-origins.")
        }
    }

    private func ownOrigin(_ head: HTTPRequest, _ client: ClientConnection) -> String? {
        head.authority.map { "\(client.isEncrypted ? "https" : "http")://\($0)".lowercased() }
    }

    private func checkHost(_ head: HTTPRequest, at localAddress: IPAddress?) throws(Failure) {
        guard names.isOwn(head, at: localAddress) else {
            let known = ["localhost", "127.0.0.1", names.publicHost].compactMap { $0 }.joined(separator: ", ")
            throw Failure(
                .foreignHost, "this service answers to \(known) only",
                hint: "Set public-url to the address by which the service is known.")
        }
    }

    private func checkSite(_ head: HTTPRequest, own: String?) throws(Failure) {
        guard ![.get, .head, .options].contains(head.method), origins != .any else { return }
        let site = head.headerFields[.secFetchSite] ?? "none"
        let page = head.pageOrigin
        if let page, origins.contains(page) { return }
        guard ["none", "same-origin"].contains(site), page == nil || page == own else {
            throw Failure(
                .crossSite, "a page of another site may not change anything here",
                hint: "Use the service's own page, or a client other than a browser.")
        }
    }
}
