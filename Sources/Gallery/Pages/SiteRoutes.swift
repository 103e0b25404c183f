import API
import HTTPTypes
import Hummingbird
package import Requests
import Server
import TreeModel

/// The routes that name the service: `/v1/site` for apps, and for browsers `/manifest.webmanifest` and `/favicon.ico`.
/// Everybody may request them: the form for signing in shows the name, too.
package struct SiteRoutes: Sendable {
    let source: PageSource

    package init(source: PageSource) {
        self.source = source
    }

    package func add(to routes: inout RouteTable) {
        let site = Endpoint(
            "getSite", in: .service, "Get the name, the looks and the addresses of the service",
            [.header("If-None-Match", .text, "entity tags")],
            answers: [.json(SiteDocument.self).with(headers: "ETag"), .empty(.notModified)], run: describe)
        routes.add("/v1/site", [.get: site])
        routes.add("/manifest.webmanifest", [.get: Endpoint(page: manifest)])
        routes.add("/favicon.ico", [.get: Endpoint(page: favicon)])
    }

    @Sendable private func describe(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let site = source.site.value
        let origin = source.origin(request, context)
        func complete(_ address: String?) -> String? { address.map { $0.hasPrefix("/") ? origin + $0 : $0 } }
        let document = SiteDocument(
            name: site.name, description: site.about(site.texts(for: request)), language: site.language?.rawValue,
            accent: site.accent.map { SiteDocument.Accent(light: $0.light, dark: $0.dark) },
            icons: site.icons(at: origin),
            links: SiteDocument.Links(
                imprint: complete(site.imprint), terms: complete(site.terms), privacy: complete(site.privacy)))
        return Self.text(document.json(), "application/json", request)
    }

    @Sendable private func manifest(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let site = source.site.value
        return Self.text(site.manifest(site.texts(for: request)).json(), "application/manifest+json", request)
    }

    /// Returns the response with a text in the reader's language.
    private static func text(_ bytes: [UInt8], _ type: String, _ request: Request) -> Response {
        var headers = HTTPFields()
        headers.vary(by: PageLanguage.vary)
        return Asset(bytes, contentType: type).response(to: request, headers: headers)
    }

    @Sendable private func favicon(_ request: Request, _ context: HTTPContext) async throws -> Response {
        guard let bytes = source.site.value.shownIcon?.favicon else { throw Failure(.notFound, "there is no icon") }
        return Asset(bytes, contentType: "image/x-icon").response(to: request)
    }
}
