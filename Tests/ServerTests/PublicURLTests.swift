import Client
import Database
import HTTPTypes
import Service
import TestSupport
import Testing
import Tree

@testable import Requests

@Suite("Behind a proxy")
struct PublicURLTests {
    @Test(
        "A public URL has a scheme, a host, and perhaps a port",
        arguments: [
            ("https://photos.example.org", "photos.example.org", "https://photos.example.org"),
            ("https://Photos.Example.org/", "photos.example.org", "https://photos.example.org"),
            ("http://photos.example.org:80", "photos.example.org", "http://photos.example.org"),
            ("https://photos.example.org:8443", "photos.example.org", "https://photos.example.org:8443"),
        ])
    func address(text: String, host: String, origin: String) throws {
        let url = try #require(PublicURL(text))
        #expect(url.host == host)
        #expect(url.origin == origin)
    }

    @Test(
        "Any other text is refused",
        arguments: [
            "", "photos.example.org", "ftp://photos.example.org", "https://", "https://photos.example.org/app",
            "https://photos.example.org?a=b", "https://maria@photos.example.org", "https://photos.example.org:99999",
        ])
    func noAddress(text: String) {
        #expect(PublicURL(text) == nil)
    }

    @Test(
        "S15: Requests to the public name are answered, and its own pages may upload",
        arguments: [
            ("photos.example.org", "https://photos.example.org", "same-origin", 201),
            ("photos.example.org:443", nil, nil, 201), ("PHOTOS.example.org", nil, "none", 201),
            ("photos.example.org", "http://photos.example.org", "cross-site", 403),
            ("photos.example.org", "https://elsewhere.example", "cross-site", 403),
            ("elsewhere.example", nil, nil, 403), ("photos.example.org.elsewhere.example", nil, nil, 403),
        ] as [(String, String?, String?, Int)])
    func names(host: String, origin: String?, site: String?, status: Int) async throws {
        try await withService(changeServer: { $0.publicURL = PublicURL("https://photos.example.org") }) { service in
            let fields = [origin.map { "Origin: \($0)\r\n" }, site.map { "Sec-Fetch-Site: \($0)\r\n" }]
            let token = try service.headers(of: "maria")[.authorization] ?? ""
            let answer = try await WireConnection.with(port: service.tcpPort) { connection in
                try await connection.send(
                    """
                    POST /v1/uploads?user=maria&text=x HTTP/1.1\r\nHost: \(host)\r\nAuthorization: \(token)\r\n\
                    \(fields.compactMap { $0 }.joined())Content-Length: 0\r\nConnection: close\r\n\r\n
                    """)
                return await connection.readToEnd()
            }
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        }
    }

    @Test("The public name does not name a database")
    func namespace() throws {
        let namespaces = DatabaseNamespaces(mainName: "tintype", publicHost: "photos.example.org")
        #expect(try namespaces.namespace(named: nil, host: "Photos.example.org:443") == .main)
        #expect(try namespaces.namespace(named: nil, host: "app.example.org") != .main)
    }
}
