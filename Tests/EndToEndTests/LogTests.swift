import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("The service's log", .timeLimit(.minutes(30)))
struct LogTests {
    private static let secret = "the-secret+of/this test=1"
    private static let token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJtYXJpYSJ9.c2lnbmF0dXJl"
    private static let cookie = "session-of-somebody"
    private static let wrong = "not-the-right-one-at-all"

    @Test(
        "No credential is in the log, at any level and in any form, whatever request fails",
        arguments: [("debug", "text"), ("trace", "json"), ("info", "text")])
    func credentials(level: String, format: String) async throws {
        try await withScratch { scratch in
            try scratch.write(Self.secret + "\n", to: "secret")
            chmod(scratch.path + "/secret", 0o600)
            let daemon = try await Daemon(
                storage: scratch.path + "/Storage",
                arguments: [
                    "--log-level", level, "--log-format", format, "--listen", "127.0.0.1:0",
                    "--database-secret", scratch.path + "/secret",
                ])
            let log = daemon.storage + ".log"
            let port = try #require(try text(log).firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\//)?.1)
            let tcp = ServiceClient(.tcp(host: "127.0.0.1", port: try #require(Int(port))))
            for client in [tcp, daemon.client] { try await sendCredentials(to: client) }
            // Malformed HTTP: the parser's error may be logged.
            let raw = try await WireConnection(socket: daemon.storage + "/tintype.sock")
            try await raw.send("GET /x.json?auth=\(Self.wrong) HTTP/9.9\r\nCookie: \(Self.cookie)\r\n\r\n")
            _ = await raw.read(through: "\r\n")
            await raw.close()
            #expect(try await daemon.stop() == 0)

            let written = try text(log)
            #expect(written.contains("listening"), "there is a log")
            if level != "info" { #expect(written.contains("refused"), "requests that fail are in it") }
            let parts = [Self.secret, Self.wrong, Self.cookie] + Self.token.split(separator: ".").map(String.init)
            for part in parts {
                let encoded = part.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? part
                let lines = written.split(separator: "\n").filter { $0.contains(part) || $0.contains(encoded) }
                #expect(lines.isEmpty, "\(part)")
            }
        }
    }

    /// Sends each credential at each possible position, with requests that succeed and requests that fail.
    private func sendCredentials(to client: ServiceClient) async throws {
        let credentials = [Self.secret, Self.token, Self.wrong]
        let paths = ["/x.json", "/x%00y.json", "/v1/posts?limit=many", "/v1/nothing", "/x.json?orderBy=%22"]
        for (credential, path) in credentials.flatMap({ credential in paths.map { (credential, $0) } }) {
            let encoded = credential.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let join = path.contains("?") ? "&" : "?"
            for name in ["auth", "access_token", "%61uth"] {
                try await client.send(.get, "\(path)\(join)\(name)=\(encoded)&x=%ZZ") { _, body in
                    _ = try await body.collect(upTo: 1 << 20)
                }
            }
            let headers: [HTTPFields] = [
                [.authorization: "Bearer \(credential)"], [.authorization: "Basic \(credential)"],
                [.cookie: "session=\(Self.cookie); token=\(credential)"],
            ]
            for headers in headers {
                try await client.send(.put, path, headers: headers, body: .bytes(Array("{".utf8))) { _, body in
                    _ = try await body.collect(upTo: 1 << 20)
                }
            }
        }
    }
}
