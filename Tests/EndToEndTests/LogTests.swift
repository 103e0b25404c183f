import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("The service's log", .timeLimit(.minutes(20)))
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

    @Test("A line for people has the time, the level and the message first; what a client sends cannot imitate a line")
    func forPeople() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(
                storage: scratch.path + "/Storage", arguments: ["--log-level", "debug", "--listen", "127.0.0.1:0"])
            let log = daemon.storage + ".log"
            let port = try #require(try text(log).firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\//)?.1)
            let tcp = ServiceClient(.tcp(host: "127.0.0.1", port: try #require(Int(port))))
            #expect(try await tcp.ask(.get, "/v1/keys").status == 403)
            #expect(try await tcp.ask(.get, "/x.json?auth=a%0A2026-01-01T00:00:00Z%20error%20forged").status != 200)
            #expect(try await daemon.stop() == 0)
            let lines = try text(log).split(separator: "\n").filter { !$0.hasPrefix("tintype: ") }
            let form = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ (debug|info|notice|warning|error) \S.*/
            #expect(lines.allSatisfy { $0.wholeMatch(of: form) != nil }, "\(lines)")
            let refusal = try #require(lines.first { $0.contains(" notice audit: refused ") })
            #expect(refusal.contains(#" request="GET /v1/keys" "#) && refusal.contains(" status=403 "), "\(refusal)")
            #expect(!lines.contains { $0.contains(" error forged") && $0.hasPrefix("2026-01-01") })
        }
    }

    @Test("A line in the system's journal begins with its priority, not with the time", arguments: ["text", "json"])
    func journal(format: String) async throws {
        try await withScratch { scratch in
            let log = scratch.path + "/Storage.log"
            try scratch.write("", to: "Storage.log")
            let attributes = try FileManager.default.attributesOfItem(atPath: log)
            let device = try #require(attributes[.systemNumber] as? Int)
            let number = try #require(attributes[.systemFileNumber] as? Int)
            let daemon = try await Daemon(
                storage: scratch.path + "/Storage", arguments: ["--log-level", "notice", "--log-format", format],
                environment: ["JOURNAL_STREAM": "\(device):\(number)"])
            kill(daemon.processID, SIGHUP)
            try await eventually { try text(log).contains("no setting has changed") }
            #expect(try await daemon.stop() == 0)
            let lines = try text(log).split(separator: "\n")
            let line = try #require(lines.first { $0.contains("no setting has changed") })
            #expect(format == "text" ? line == "<5>no setting has changed" : line.hasPrefix("<5>{"), "\(line)")
        }
    }

    @Test("--access-log: one line for each request, without credentials; SIGHUP opens the file again")
    func accessLog() async throws {
        try await withScratch { scratch in
            let path = scratch.path + "/access.log"
            let daemon = try await Daemon(storage: scratch.path + "/Storage", arguments: ["--access-log", path])
            try await sendCredentials(to: daemon.client)
            try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
            kill(daemon.processID, SIGHUP)
            try await eventually { FileManager.default.fileExists(atPath: path) }
            _ = try await daemon.get("/v1/version")
            #expect(try await daemon.stop() == 0)
            let (old, new) = (try text(path + ".1"), try text(path))
            #expect(new.contains(#"unix: - (admin) ["#) && new.contains(#""GET /v1/version HTTP/1.1" 200 "#), "\(new)")
            #expect(old.contains(#""PUT /x.json HTTP/1.1" 4"#) && !old.contains("?"))
            for part in [Self.secret, Self.wrong, Self.cookie] + Self.token.split(separator: ".").map(String.init) {
                #expect(!old.contains(part) && !new.contains(part))
            }
        }
    }

    @Test("A path of the access log that cannot be written is named before the service starts")
    func unusableAccessLog() async throws {
        try await withScratch { scratch in
            let result = try await run([
                "serve", "--storage", scratch.path + "/Storage", "--access-log", scratch.path + "/none/log",
            ])
            #expect(result.status != 0 && result.errors.contains("access-log: "), "\(result)")
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
