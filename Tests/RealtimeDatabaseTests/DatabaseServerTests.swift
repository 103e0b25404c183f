import Client
import Cryptography
import Foundation
import HTTPTypes
import RealtimeDatabase
import ServiceLifecycle
import TestSupport
import Testing

@Suite("A server of a tree", .timeLimit(.minutes(30)))
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
        let tree = try await TreeStore(engine: MemoryEngine())
        try await tree.setRules(Self.rules)
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        var configuration = DatabaseServerConfiguration(port: 0)
        configuration.secrets = [Self.secret]
        let server = try DatabaseServer(tree, configuration) { continuation.yield($0) }
        let group = ServiceGroup(configuration: .init(services: [server], logger: configuration.logger))
        try await withServices(group, onEnd: { continuation.finish() }) {
            let port = try #require(await ports.first { _ in true })
            try await body(tree, ServiceClient(.tcp(host: "127.0.0.1", port: port)))
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
