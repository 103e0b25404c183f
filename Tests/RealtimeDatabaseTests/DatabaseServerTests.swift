import Client
import Cryptography
import Foundation
import HTTPTypes
import RealtimeDatabase
import ServiceLifecycle
import TestSupport
import Testing

@Suite("A server of a tree", .timeLimit(.minutes(20)))
struct DatabaseServerTests {
    private static let secret = "a secret of more than thirty-two bytes"
    private static let rules = """
        {"rules": {"open": {".read": true, "$key": {".write": true, ".validate": "newData.isString()"}},
            "people": {"$uid": {".read": "auth.uid === $uid", ".write": "auth.uid === $uid"}}}}
        """

    /// Runs a body with a tree, and a client of a server of it.
    private func withServer(
        _ body: (_ tree: TreeStore, _ client: ServiceClient) async throws -> Void
    ) async throws {
        try await withServer({ $0.secrets = [Self.secret] }) { tree, port in
            try await body(tree, ServiceClient(.tcp(host: "127.0.0.1", port: port)))
        }
    }

    /// Runs a body with a tree, and the port of a server of it.
    private func withServer(
        _ configure: (inout DatabaseServerConfiguration) -> Void,
        _ body: (_ tree: TreeStore, _ port: Int) async throws -> Void
    ) async throws {
        let tree = try await TreeStore(engine: MemoryEngine())
        try await tree.setRules(Self.rules)
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        var configuration = DatabaseServerConfiguration(port: 0)
        configure(&configuration)
        let server = try DatabaseServer(tree, configuration) { continuation.yield($0) }
        let group = ServiceGroup(configuration: .init(services: [server], logger: configuration.logger))
        try await withServices(group, onEnd: { continuation.finish() }) {
            try await body(tree, try #require(await ports.first { _ in true }))
        }
        await tree.close()
    }

    /// Returns a token for a user, signed with a secret (HS256).
    private static func token(of uid: String, secret: String = secret) -> String {
        let claims = #"{"v":0,"iat":\#(Int(Date.now.timeIntervalSince1970)),"d":{"uid":"\#(uid)"}}"#
        let signed =
            Base64URL.encode(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)) + "."
            + Base64URL.encode(Array(claims.utf8))
        return signed + "." + Base64URL.encode(Digest.hmacSHA256(Array(signed.utf8), key: Array(secret.utf8)))
    }

    @Test("Clients and the program share the tree, within the rules of the clients")
    func shared() async throws {
        try await withServer { tree, client in
            try await tree.set("open/first", to: "from the program")
            #expect(try await client.get("/open/first.json").text == #""from the program""#)
            #expect(
                try await client.ask(.put, "/open/second.json", body: .bytes(Array(#""hello""#.utf8))).status == 200)
            #expect(try await tree.get("open/second") == "hello")
            #expect(try await client.ask(.put, "/open/third.json", body: .bytes(Array("3".utf8))).status == 401)
            #expect(try await client.get("/people.json").status == 401)
            #expect(try await tree.get("open/third") == nil)
        }
    }

    @Test("A repeated request with an idempotency key has its effect once, for each sender")
    func repeated() async throws {
        try await withServer { tree, client in
            let path = "/open.json?auth=\(Self.token(of: "ann"))"
            try await tree.setRules(#"{"rules": {"open": {".read": true, ".write": true}}}"#)
            let key = try #require(HTTPField.Name("idempotency-key"))
            var names: Set<String> = []
            for path in ["/open.json", "/open.json", path, path, "/open.json?auth=\(Self.percentEncodedSecret)"] {
                let answer = try await client.ask(
                    .post, path, headers: [key: "one"], body: .bytes(Array("1".utf8)))
                #expect(answer.status == 200, "\(answer.text)")
                names.insert(answer.json["name"].string ?? "")
            }
            #expect(names.count == 3)
            #expect(try await tree.children(of: "open").map(\.key.string).sorted() == names.sorted())
        }
    }

    @Test("A secret opens everything, and signs the tokens of users")
    func proofs() async throws {
        try await withServer { tree, client in
            try await tree.set("people", to: ["ann": 1, "bob": 2])
            #expect(try await client.get("/people.json?auth=\(Self.percentEncodedSecret)").status == 200)
            #expect(try await client.get("/people/ann.json?auth=\(Self.token(of: "ann"))").text == "1")
            #expect(try await client.get("/people/bob.json?auth=\(Self.token(of: "ann"))").status == 401)
            let forged = Self.token(of: "ann", secret: "another secret, which is as long as it")
            #expect(try await client.get("/people/ann.json?auth=\(forged)").status == 401)
        }
    }

    private static let percentEncodedSecret = secret.replacingOccurrences(of: " ", with: "%20")

    @Test("Only a trusted proxy may say who its client is", arguments: [true, false])
    func proxy(isTrusted: Bool) async throws {
        let log = RecordingLog()
        try await withServer {
            $0.logger = log.logger
            $0.trustedProxies = isTrusted ? ["127.0.0.1"] : []
        } _: { _, port in
            let client = ServiceClient(.tcp(host: "127.0.0.1", port: port))
            let answer = try await client.ask(
                .get, "/people.json", headers: [try #require(HTTPField.Name("X-Forwarded-For")): "192.0.2.7"])
            #expect(answer.status == 401)
            let refused = try #require(log.entries.first { $0.text("request") == "GET /people.json" })
            #expect(refused.text("address") == (isTrusted ? "192.0.2.7" : "127.0.0.1"))
        }
    }

    @Test("Clients that trust the certificate are served by TLS, others are not")
    func encrypted() async throws {
        try await withScratch { scratch in
            try scratch.install(.first)
            try await withServer {
                $0.tls = .init(
                    certificateFile: "\(scratch.path)/certificate.pem", keyFile: "\(scratch.path)/key.pem")
            } _: { tree, port in
                try await tree.set("open/first", to: "hello")
                let connection = try await WireConnection(port: port, trusting: .first)
                try await connection.send("GET /open/first.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(await connection.answer()?.status == 200)
                await connection.close()
                let end = TLSEnd()
                let stranger = try await WireConnection(port: port, trusting: .second, noting: end)
                try? await stranger.send("GET /open/first.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(await stranger.answer() == nil)
                #expect(end.error != nil)
            }
        }
    }

    @Test("A configuration that cannot be used is refused before anything listens")
    func refused() async throws {
        let tree = try await TreeStore(engine: MemoryEngine())
        func message(_ change: (inout DatabaseServerConfiguration) -> Void) throws -> String {
            var configuration = DatabaseServerConfiguration(port: 0)
            change(&configuration)
            let error = #expect(throws: DatabaseServerError.self) { try DatabaseServer(tree, configuration) }
            return try #require(error).message
        }
        #expect(try message { $0.host = "0.0.0.0" }.contains("other machines"))
        #expect(try message { $0.host = "db.example" }.contains("db.example"))
        #expect(try message { $0.port = 70_000 }.contains("70000"))
        #expect(try message { $0.trustedProxies = ["a proxy"] }.contains("trusted proxy"))
        #expect(try message { $0.trustedProxies = ["0.0.0.0/0"] }.contains("strangers"))
        #expect(try message { $0.allowedOrigins = ["photos.example"] }.contains("origin"))
        #expect(try message { $0.temporaryFolder = "/nonexistent" }.contains("/nonexistent"))
        await tree.close()
    }

    @Test("A certificate that does not exist ends the start with an error that names it")
    func withoutCertificate() async throws {
        let tree = try await TreeStore(engine: MemoryEngine())
        var configuration = DatabaseServerConfiguration(port: 0)
        configuration.tls = .init(certificateFile: "/nonexistent/cert.pem", keyFile: "/nonexistent/key.pem")
        let server = try DatabaseServer(tree, configuration)
        let error = await #expect(throws: DatabaseServerError.self) { try await server.run() }
        #expect(try #require(error).message.contains("/nonexistent"))
        await tree.close()
    }
}
