import Client
import Database
import HTTPTypes
import Server
import Service
import TestSupport
import Testing

@Suite("HTTP/1.1 by the standard: connections", .timeLimit(.minutes(20)))
struct WireConnectionTests {
    private static func request(_ line: String) -> String { "\(line)\r\nHost: localhost\r\n\r\n" }

    static let good = [
        request("GET /v1/version HTTP/1.1"), "\r\n\r\n" + request("GET /v1/version HTTP/1.1"),
        request("GET http://localhost/v1/version HTTP/1.1"), request("GET HTTP://LOCALHOST/v1/version HTTP/1.1"),
        request("GET https://localhost/healthz?a=b HTTP/1.1"),
        "GET /v1/version HTTP/1.1\r\nhOST:localhost\t \r\nX:\r\nY: \t é b\t\r\nContent-Length:  0 \r\n\r\n",
        "PUT /a.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n123",
        "PUT /a.json HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: Chunked\r\n\r\n"
            + "0005;name=\"v\"\r\n[1,\r\n\r\na\r\n\r\n\r\n 2, 3]\r\n0\r\nTrailer: x\r\nOther: y\r\n\r\n",
    ]

    @Test("A valid request is read however its bytes are cut, and others may follow it", arguments: good)
    func taken(request: String) async throws {
        try await withService(changeServer: { $0.database.isEmulator = true }) { service in
            let bytes = Array((request + request + Self.request("GET /healthz HTTP/1.1\r\nConnection: close")).utf8)
            for size in [1, 7, 1000] {
                let answers = try await service.answers(to: bytes, isTCP: size == 7, cutInto: size)
                #expect(answers.map(\.status) == [200, 200, 200], "\(answers)")
            }
        }
    }

    @Test(
        "A connection is kept open on request of the client",
        arguments: [
            ("1.0", "", false), ("1.0", "Connection: keep-alive\r\n", true),
            ("1.0", "Connection: Keep-Alive\r\n", true),
            ("1.1", "", true), ("1.1", "Connection: close\r\n", false), ("1.1", "Connection: Close\r\n", false),
            ("1.1", "Connection: TE, close\r\n", false),
        ])
    func keptOpen(version: String, field: String, isKept: Bool) async throws {
        try await withService { service in
            let request = "GET /v1/version HTTP/\(version)\r\nHost: localhost\r\n\(field)\r\n"
            let last = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            let answers = try await service.answers(to: Array((request + last).utf8), isTCP: true)
            #expect(answers.map(\.status) == (isKept ? [200, 200] : [200]), "\(answers)")
            #expect(answers.last?.fields["connection"] == "close", "\(answers)")
        }
    }

    @Test("HTTP/1.0 needs no Host on the socket, and gets a long answer complete before the connection ends")
    func longAnswer() async throws {
        try await withService { service in
            let value = "{\"a\":\"\(String(repeating: "x", count: 9 << 20))\",\"b\":1}"
            _ = try await service.client.ask(.put, "/a.json", body: .bytes(Array(value.utf8)))
            let answers = try await service.answers(to: Array("GET /a.json HTTP/1.0\r\n\r\n".utf8), isTCP: false)
            // An expectation describes the compared values, which takes long for so much text.
            let isWhole = answers.first?.body == value
            #expect(isWhole)
        }
    }

    @Test("HTTP/1.0 does not support chunks: an answer without a length ends with its connection")
    func noChunks() async throws {
        try await withService { service in
            let text = try await WireConnection.with(socket: service.socketPath) { connection in
                try await connection.send("POST /v1/scrub?check=true HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                return await connection.readToEnd()
            }
            #expect(text.hasPrefix("HTTP/1.0 200 ") || text.hasPrefix("HTTP/1.1 200 "), "\(text)")
            #expect(!text.lowercased().contains("transfer-encoding"), "\(text)")
            #expect(text.hasSuffix("}\n") && text.contains("\r\n\r\n{"), "\(text)")
        }
    }

    @Test(
        "A request to switch to another protocol is answered, and its connection closed: no client waits for ever",
        arguments: [
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n",
            "GET /.ws?v=5 HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive, upgrade\r\nUpgrade: websocket\r\n\r\n",
            "PUT /a.json HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 1\r\n\r\n1",
            "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n",
        ])
    func upgrade(request: String) async throws {
        try await withService { service in
            let next = "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let answer = try await WireConnection.with(socket: service.socketPath) { connection in
                try await connection.send(request + next)
                return await connection.readToEnd()
            }
            #expect(answer.hasPrefix("HTTP/1.1 "), "\(answer)")
            #expect(answer.lowercased().contains("\r\nconnection: close\r\n"), "\(answer)")
            #expect(!answer.contains("ready"), "what follows is not taken for a request of this protocol")
        }
    }
}
