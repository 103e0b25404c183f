import Access
import Client
import Database
import HTTPTypes
import Service
import TestSupport
import Testing
import Tree
import TreeModel

@testable import Requests

@Suite("Pages of other origins", .timeLimit(.minutes(20)))
struct CrossOriginTests {
    private static let app = "https://photos.example"
    private static let methods: HTTPField.Name = .accessControlRequestMethod

    @Test(
        "One setting chooses the origins whose pages may read and write",
        arguments: [
            (.these([]), app, nil, 403), (.these([app]), app, app, 201),
            (.these([app]), "HTTPS://photos.example", "HTTPS://photos.example", 201),
            (.these([app]), "https://evil.example", nil, 403), (.these([app]), "http://photos.example", nil, 403),
            (.these([app]), "null", nil, 403), (.these([app]), "https://photos.example:444", nil, 403),
            (.any, "https://evil.example", "*", 201), (.any, "null", "*", 201),
        ] as [(AllowedOrigins, String, String?, Int)])
    func origins(allowed: AllowedOrigins, origin: String, named: String?, status: Int) async throws {
        try await withService(changeServer: { $0.allowedOrigins = allowed }) { service in
            var headers = try service.headers(of: "maria")
            headers[.origin] = origin
            headers[.named("sec-fetch-site")] = "cross-site"
            let posted = try await service.tcpClient.ask(.post, "/v1/uploads?user=maria&text=x", headers: headers)
            #expect(posted.status == status, "\(posted.text)")
            for path in ["/v1/posts", "/v1/nowhere", "/media/a/b/c.jpg", "/v1/posts?limit=x"] {
                let answer = try await service.tcpClient.get(path, headers: headers)
                #expect(answer.headers[.accessControlAllowOrigin] == named, "\(path): \(answer.headers)")
            }
            #expect(posted.headers[.accessControlAllowOrigin] == named)
            #expect(named == nil || posted.headers[.accessControlExposeHeaders]?.contains("Location") == true)
        }
    }

    @Test(
        "Origins are parsed in the notation of browsers",
        arguments: [
            ("", .these([])), ("*", .any), ("https://photos.example", .these([app])),
            ("HTTPS://Photos.Example, http://localhost:3000", .these([app, "http://localhost:3000"])),
            ("http://[::1]:80", .these(["http://[::1]:80"])), ("photos.example", nil), ("https://photos.example/", nil),
            ("https://", nil), ("ftp://photos.example", nil), ("https://*.example", nil), ("* https://a.example", nil),
            ("https://a.example:x", nil), ("https://me@a.example", nil), ("null", nil),
        ] as [(String, AllowedOrigins?)])
    func parsing(text: String, expected: AllowedOrigins?) {
        #expect(AllowedOrigins(parsing: text) == expected)
    }

    @Test("A cached answer is cached per origin, whichever requested it first")
    func caches() async throws {
        let choices: [(AllowedOrigins, vary: String?, origin: String?)] = [
            (.these([Self.app]), "Origin", nil), (.any, nil, "*"), (.these([]), nil, nil),
        ]
        for choice in choices {
            let headers = try await withService(changeServer: { $0.allowedOrigins = choice.0 }) { service in
                try await service.tcpClient.get("/v1/posts").headers
            }
            #expect(headers[.vary] == choice.vary && headers[.accessControlAllowOrigin] == choice.origin)
        }
    }

    @Test(
        "A preflight request gets the methods and headers that the address accepts",
        arguments: [
            ("/v1/uploads", app, 204, "POST, PUT"), ("/v1/posts", app, 204, "GET, HEAD"),
            ("/media/a/b/c.jpg", app, 204, "GET, HEAD"), ("/v1/nowhere", app, 404, nil),
            ("/v1/uploads", "https://evil.example", 405, nil),
        ] as [(String, String, Int, String?)])
    func preflight(path: String, origin: String, status: Int, methods: String?) async throws {
        try await withService(changeServer: { $0.allowedOrigins = .these([Self.app]) }) { service in
            let answer = try await service.tcpClient.ask(
                .options, path,
                headers: [
                    .origin: origin, Self.methods: "POST",
                    .accessControlRequestHeaders: "content-type, idempotency-key",
                    .named("access-control-request-private-network"): "true",
                ])
            #expect(answer.status == status, "\(answer.text)")
            #expect(answer.headers[.accessControlAllowMethods] == methods)
            guard status == 204 else { return }
            #expect(answer.headers[.accessControlAllowOrigin] == origin && answer.body.isEmpty)
            #expect(answer.headers[.accessControlAllowHeaders] == "content-type, idempotency-key")
            #expect(answer.headers[.named("access-control-allow-private-network")] == "true")
        }
    }

    @Test(
        "The same setting applies to the database: its answers, its streams and its scripts",
        arguments: [
            (.these([]), app, nil), (.these([app]), app, app), (.these([app]), "https://evil.example", nil),
            (.these([app]), "null", nil), (.any, "https://evil.example", "https://evil.example"),
            (.ownMachine(adding: []), "http://localhost:3000", "http://localhost:3000"),
            (.ownMachine(adding: []), "http://127.0.0.1.evil.example", nil), (.ownMachine(adding: []), "null", nil),
        ] as [(AllowedOrigins, String, String?)])
    func database(allowed: AllowedOrigins, origin: String, named: String?) async throws {
        try await withService(changeServer: { $0.allowedOrigins = allowed }) { service in
            try await service.tree.setRules(#"{"rules": {".read": true}}"#)
            try await service.tree.set("a", to: 1)
            for path in ["/a.json", "/.json?shallow=true", "/a.json?orderBy=x"] {
                let answer = try await service.tcpClient.get(path, headers: [.origin: origin])
                #expect(answer.headers[.accessControlAllowOrigin] == named, "\(path): \(answer.headers)")
                #expect(answer.headers[.named("cross-origin-resource-policy")] == "same-origin")
            }
            try await WireConnection.with(port: service.tcpPort) { connection in
                try await connection.send(
                    "GET /a.json HTTP/1.1\r\nHost: localhost\r\nOrigin: \(origin)\r\nAccept: text/event-stream\r\n\r\n")
                let head = try #require(await connection.read(through: "\r\n\r\n"))
                #expect(head.contains("200 OK") && head.contains("Allow-Origin: ") == (named != nil), "\(head)")
            }
            for header in [HTTPField.Name.referer, .origin] {
                let page = header == .referer && origin != "null" ? "\(origin)/page?x" : origin
                let script = try await service.tcpClient.get("/a.json?callback=f", headers: [header: page])
                #expect((script.text == "/**/f(1);") == (named != nil), "\(script.text)")
                #expect(script.status == (named == nil ? 403 : 200))
            }
            let unknown = try await service.tcpClient.get("/a.json?callback=f")
            #expect((unknown.status == 200) == (allowed == .any), "no page says that it asks")
        }
    }

    @Test("With --emulator pages of this machine may upload photos; pages of others may not delete its accounts")
    func emulator() async throws {
        try await withService(changeServer: { $0.database.isEmulator = true }) { service in
            let evil: HTTPFields = [.origin: "https://evil.example"]
            let accounts = "/emulator/v1/projects/\(service.authority.project)/accounts"
            #expect(try await service.tcpClient.ask(.delete, accounts, headers: evil).status == 403)
            #expect(
                try await service.tcpClient.get("/posts.json", headers: evil).headers[.accessControlAllowOrigin] == nil)
            for path in ["/v1/keys?name=mine", "/v1/signing-keys", "/v1/media-keys", "/v1/users/maria/token"] {
                let owner: HTTPFields = [.authorization: "Bearer owner"]
                let refused = try await service.tcpClient.ask(.post, path, headers: owner)
                #expect(
                    refused.status == 403 && refused.json["code"].string == "admin_only", "\(path): \(refused.text)")
            }
            let headers: HTTPFields = [
                .origin: "http://localhost:3000", .named("sec-fetch-site"): "same-site",
                .authorization: "Bearer \(Service.mockToken(of: "maria"))",
            ]
            let answer = try await service.tcpClient.ask(
                .post, "/v1/uploads?user=maria", headers: headers, body: .bytes(try fixture("size-97x61.jpg")))
            #expect(answer.status == 201, "\(answer.text)")
            #expect(answer.headers[.accessControlAllowOrigin] == "http://localhost:3000")
            let database = try await service.tcpClient.get("/posts.json", headers: headers)
            #expect(database.headers[.accessControlAllowOrigin] == "http://localhost:3000")
        }
    }
}
