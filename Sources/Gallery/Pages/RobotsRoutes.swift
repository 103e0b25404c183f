import HTTPTypes
import Hummingbird
import NIOCore
package import Requests
package import Server

/// `/robots.txt`: what search engines may request (RFC 9309).
package struct RobotsRoutes: Sendable {
    private static let closed = "User-agent: *\nDisallow: /\n"
    /// Pages and their photos may be found; programs, personal pages and endless lists of results may not.
    private static let open = """
        User-agent: *
        Disallow: /v1/
        Disallow: /v0/
        Disallow: /ops
        Disallow: /account
        Disallow: /notifications
        Disallow: /search
        Disallow: /oembed
        Disallow: /identitytoolkit.googleapis.com/
        Disallow: /securetoken.googleapis.com/
        Disallow: /*.json

        """

    let visibility: Visibility

    package init(visibility: Visibility) { self.visibility = visibility }

    package func add(to routes: inout RouteTable) {
        let show = Endpoint { _, _ in
            let text = try await visibility.state.isClosed ? Self.closed : Self.open
            return Response(
                status: .ok, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-cache"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        }
        routes.add("/robots.txt", [.get: show])
    }
}
