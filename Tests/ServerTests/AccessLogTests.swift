import Client
import CoreMetrics
import Database
import Files
import Foundation
import HTTPTypes
import Logging
import Metering
import TestSupport
import Testing
import Tree

@testable import Requests
@testable import Server
@testable import Service
@testable import Transport

@Suite("The access log", .timeLimit(.minutes(10)))
struct AccessLogTests {
    private static let secret = "the-secret-of-a-client"

    /// Runs a service with an access log, and returns its lines after the service has ended.
    private func lines(
        _ format: AccessLog.Format = .json, changeServer: (inout HTTPServer.Settings) -> Void = { _ in },
        _ body: @Sendable (Service) async throws -> Void
    ) async throws -> [String] {
        try await withScratch { scratch in
            let log = try AccessLog(
                .file(path: "\(scratch.path)/access.log"), format,
                redact: { $0.replacing(Self.secret, with: "[hidden]") }, metrics: MetricsRegistry(),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            try await withService(
                changeServer: { settings in
                    settings.accessLog = log
                    settings.database.isEmulator = true
                    changeServer(&settings)
                }, body)
            await log.close()
            return try scratch.read("access.log").split(separator: "\n").map(String.init)
        }
    }

    private struct Entry: Decodable {
        let address: String
        let user: String?
        let admin: Bool?
        let method: String
        let path: String
        let status: Int?
        let bytes: Int
        let milliseconds: Double
        let agent: String?
        let trace: String?

        private enum CodingKeys: String, CodingKey {
            case address, user, admin, method, path, status, bytes
            case milliseconds = "duration_ms"
            case agent, trace
        }
    }

    private func entries(_ lines: [String]) throws -> [Entry] {
        try lines.map { try JSONDecoder().decode(Entry.self, from: Data($0.utf8)) }
    }

    @Test("Each request has one line, with its sender, its status and the bytes of its answer, and without its query")
    func requests() async throws {
        let lines = try await lines { service in
            for (method, path) in [
                (.get, "/healthz"), (.get, "/v1/nothing?token=\(Self.secret)"), (.head, "/v1/version"),
                (.put, "/a.json?auth=\(Self.secret)"),
            ] as [(HTTPRequest.Method, String)] {
                _ = try await service.client.ask(method, path, body: .bytes(method == .put ? Array("1".utf8) : []))
            }
            let token = Service.mockToken(of: "maria")
            _ = try await service.tcpClient.ask(.get, "/a.json?auth=\(token)")
        }
        // A line is written when its request has ended, which the sender may see earlier.
        let sent = ["/healthz", "/v1/nothing", "/v1/version", "PUT/a.json", "GET/a.json"]
        let entries = try entries(lines).sorted { first, second in
            let places = [first, second].map { entry in
                sent.firstIndex { $0 == entry.path || $0 == entry.method + entry.path } ?? sent.count
            }
            return places[0] < places[1]
        }
        #expect(entries.map(\.path) == ["/healthz", "/v1/nothing", "/v1/version", "/a.json", "/a.json"])
        #expect(entries.map(\.method) == ["GET", "GET", "HEAD", "PUT", "GET"])
        #expect(entries.map(\.status) == [200, 404, 200, 401, 200], "the secret is no token")
        try #require(entries.count == 5)
        #expect(entries[0].bytes > 0 && entries[1].bytes > 0)
        #expect(entries[2].bytes == 0, "a HEAD has no body")
        #expect(entries.prefix(3).allSatisfy { $0.address == "unix:" && $0.admin == true && $0.user == nil })
        #expect(entries[4].address == "127.0.0.1" && entries[4].user == "maria" && entries[4].admin == nil)
        #expect(entries.allSatisfy { $0.trace != nil && $0.milliseconds >= 0 })
        #expect(Set(entries.map(\.trace)).count == entries.count)
        #expect(!lines.joined().contains(Self.secret))
    }

    @Test("A stream and a session have a line at their end, with the bytes that they received")
    func takeovers() async throws {
        let lines = try await lines { service in
            let stream = try await WireConnection(port: service.tcpPort)
            let fields = "Host: localhost\r\nAccept: text/event-stream\r\nUser-Agent: app"
            try await stream.send(
                "GET /a.json?auth=\(Service.mockToken(of: "maria")) HTTP/1.1\r\n\(fields)\r\n\r\n")
            #expect(await stream.read(through: "\n\n") != nil)
            await stream.close()
            // The service finds the connection closed when it sends an event.
            var value = 0
            try await eventually {
                value += 1
                _ = try await service.client.ask(.put, "/a.json", body: .bytes(Array("\(value)".utf8)))
                return service.server.admission.open.count(.stream) == 0
            }
            let session = try await WireClient(service)
            _ = try await session.answer("q", #"{"p":"/a","h":""}"#)
            await session.close()
            try await eventually { service.server.admission.open.count(.session) == 0 }
        }
        let entries = try entries(lines).filter { $0.method == "GET" }
        try #require(entries.count == 2)
        #expect(entries.map(\.path) == ["/a.json", "/.ws"] && entries.map(\.status) == [200, 101])
        #expect(entries.allSatisfy { $0.bytes > 0 && $0.trace == nil })
        #expect(entries[0].agent == "app" && entries[0].user == "maria")
        #expect(!lines.joined().contains(Service.mockToken(of: "maria")))
    }

    @Test("The Combined Log Format: what clients choose can neither end a field nor imitate a line")
    func combined() async throws {
        let lines = try await lines(.combined) { service in
            let connection = try await WireConnection(socket: service.socketPath)
            let fields = [
                "Host: localhost", "Referer: https://x.example/a?b=\(Self.secret)",
                "User-Agent: a\"b\\c\tö \(Self.secret)",
            ].joined(separator: "\r\n")
            try await connection.send("GET /healthz?x HTTP/1.1\r\n\(fields)\r\nConnection: close\r\n\r\n")
            _ = await connection.readToEnd()
            await connection.close()
        }
        #expect(lines.count == 1)
        let line = try #require(lines.first)
        let form =
            /unix: - \(admin\) \[\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000\] "GET \/healthz HTTP\/1\.1" 200 \d+ "https:\/\/x\.example\/a" "(.*)" [\d.e-]+ \S+/
        let agent = try #require(line.wholeMatch(of: form)?.1, "\(line)")
        #expect(agent == #"a\x22b\x5Cc\x09\xC3\xB6 [hidden]"#)
    }

    @Test("A client that a trusted proxy reports is the one of the line")
    func proxies() async throws {
        let proxies = try #require(TrustedProxies(parsing: "127.0.0.1"))
        let lines = try await lines(changeServer: { settings in
            settings.proxies = proxies
            settings.database.isEmulator = false
        }) { service in
            let name = try #require(HTTPField.Name("X-Forwarded-For"))
            _ = try await service.tcpClient.ask(.get, "/v1/version", headers: [name: "192.0.2.7"])
        }
        #expect(try entries(lines).map(\.address) == ["192.0.2.7"])
    }
}
