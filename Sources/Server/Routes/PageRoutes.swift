import HTTPTypes
import Hummingbird
import NIOCore

/// `/`: the page with the newest posts, and `/account`, where codes in messages lead. They are part of the binary and ask nobody else for anything.
struct PageRoutes: Sendable {
    func add(to routes: inout RouteTable) {
        routes.add("/", [.get: file(PackageResources.index_html, "text/html; charset=utf-8")])
        routes.add("/page.css", [.get: file(PackageResources.page_css, "text/css; charset=utf-8")])
        routes.add("/page.js", [.get: file(PackageResources.page_js, script)])
        routes.add("/follow.js", [.get: file(PackageResources.follow_js, script)])
        routes.add("/account", [.get: file(PackageResources.account_html, "text/html; charset=utf-8")])
        routes.add("/account.js", [.get: file(PackageResources.account_js, script)])
        routes.add("/placeholder.js", [.get: file(PackageResources.placeholder_js, script)])
    }

    private let script = "text/javascript; charset=utf-8"

    private func file(_ bytes: [UInt8], _ contentType: String) -> Operation {
        let headers: HTTPFields = [
            .contentType: contentType, .cacheControl: "no-cache",
            // No inline code, no other site's anything.
            .contentSecurityPolicy: """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
            base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """,
        ]
        return Operation(
            "A file of the pages that the service has for people.", answers: [.content(contentType)], ignoresQuery: true
        ) { _, _ in
            Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
    }
}
