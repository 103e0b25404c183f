import HTTPTypes
import Hummingbird
import NIOCore

/// `/`: the page with the newest posts. It is part of the binary and asks nobody else for anything.
struct PageRoutes: Sendable {
    func add(to router: Router<RequestContext>) {
        router.resource("/", [.get: file(PackageResources.index_html, "text/html; charset=utf-8")])
        router.resource("page.css", [.get: file(PackageResources.page_css, "text/css; charset=utf-8")])
        router.resource("page.js", [.get: file(PackageResources.page_js, script)])
        router.resource("follow.js", [.get: file(PackageResources.follow_js, script)])
        router.resource("placeholder.js", [.get: file(PackageResources.placeholder_js, script)])
    }

    private let script = "text/javascript; charset=utf-8"

    private func file(_ bytes: [UInt8], _ contentType: String) -> Handler {
        let headers: HTTPFields = [
            .contentType: contentType, .cacheControl: "no-cache",
            // No inline code, no other site's anything.
            .contentSecurityPolicy: """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
            base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """,
        ]
        return { _, _ in
            Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
    }
}
