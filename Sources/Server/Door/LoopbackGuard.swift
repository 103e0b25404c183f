import HTTPTypes
import Hummingbird

/// Keeps web pages of other sites away from the TCP door.
///
/// A page can make a browser send requests to 127.0.0.1, and can give its own host name that address (DNS rebinding) to
/// read the answers. Against the latter: the `Host` must be a name of this machine. Against the former: a request that
/// changes something must come from our own page or from no page (Fetch Metadata, `Origin`). The Unix socket is trusted.
///
/// The database can be opened to every page of every site, as Firebase's emulator is (``isEmulator``), and answers to the
/// names that databases have with their vendor: no page can give these another address.
struct LoopbackGuard: RouterMiddleware {
    let isEmulator: Bool

    func handle(
        _ request: Request, context: DoorContext, next: @concurrent (Request, DoorContext) async throws -> Response
    ) async throws -> Response {
        if !context.isTrusted {
            try checkHost(request)
            if !(isEmulator && request.head.isForDatabase) { try checkSite(request) }
        }
        return try await next(request, context)
    }

    private func checkHost(_ request: Request) throws(ServerError) {
        let host = request.head.authority.map { LoopbackAddress.split($0).host } ?? ""
        guard LoopbackAddress.isLoopback(host) || (request.head.isForDatabase && Self.isDatabaseName(host)) else {
            throw ServerError(
                .foreignHost, "this service answers to localhost and 127.0.0.1 only",
                hint: "use http://127.0.0.1 and the port; a proxy has to set the Host header")
        }
    }

    private static func isDatabaseName(_ host: String) -> Bool {
        [".firebaseio.com", ".firebasedatabase.app"].contains { host.lowercased().hasSuffix($0) }
    }

    private func checkSite(_ request: Request) throws(ServerError) {
        guard ![.get, .head, .options].contains(request.method) else { return }
        let site = request.headers[.secFetchSite] ?? "none"
        let origin = request.headers[.origin]
        let own = request.head.authority.map { "http://\($0)" }
        guard ["none", "same-origin"].contains(site), origin == nil || origin == own else {
            throw ServerError(
                .crossSite, "a page of another site may not change anything here",
                hint: "use the service's own page, or a client that is no browser")
        }
    }
}

extension HTTPField.Name {
    fileprivate static var secFetchSite: HTTPField.Name { HTTPField.Name(parsed: "sec-fetch-site") }
}

extension HTTPField.Name {
    /// A name from a constant in the source.
    init(parsed name: StaticString) {
        guard let parsed = HTTPField.Name(name.description) else { preconditionFailure("\(name) is no field name") }
        self = parsed
    }
}
