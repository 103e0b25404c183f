import Client
import HTTPTypes
import NIOCore
import Service
import TestSupport
import Testing

@testable import Transport

@Suite("HTTP/1.1 by the standard: bodies", .timeLimit(.minutes(20)))
struct WireBodyTests {
    static let chunks = [
        "zz\r\n", " 1\r\n1\r\n0\r\n\r\n", "1 \r\n1\r\n0\r\n\r\n", "1\n1\r\n0\r\n\r\n", "1\r1\r\n0\r\n\r\n",
        "1\r\n12\r\n0\r\n\r\n",
        "1\r\n1\n0\r\n\r\n", "-1\r\n", "0x1\r\n1\r\n0\r\n\r\n", "\r\n", ";a\r\n", "fffffffffffffffff\r\n",
        "1;\(String(repeating: "x", count: 9000))\r\n1\r\n0\r\n\r\n", "1\r\n1\r\n0\r\nX: y\n\r\n",
    ]

    @Test("A malformed chunked body is refused, and writes nothing", arguments: chunks)
    func chunked(body: String) async throws {
        try await withService { service in
            for (line, says) in [
                ("PUT /a.json", "{\"error\":\"the request cannot be read"),
                ("POST /v1/uploads?user=maria&text=x", "\"code\":\"malformed_request\""),
            ] {
                let request = "\(line) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"
                let answers = try await service.answers(to: Array(request.utf8), isTCP: false)
                #expect(answers.map(\.status) == [400], "\(answers)")
                #expect(answers.first?.body.contains(says) == true, "\(answers)")
            }
            #expect(try await service.client.get("/a.json").text == "null")
            try await service.untilNothingIsUnfinished()
        }
    }

    // MARK: - 100 Continue

    @Test(
        "A client that is refused for its head does not get 100 Continue",
        arguments: [
            ("PUT /a.json", "Content-Length: 5", 401), ("POST /v1/nowhere", "Content-Length: 5", 404),
            ("POST /v1/uploads?user=a&caption=x", "Content-Length: 5", 400),
            ("POST /v1/uploads?user=a", "Content-Length: 5\r\nOrigin: http://evil.example", 403),
            ("POST /v1/uploads?user=a", "Content-Length: 1073741824", 413),
            ("POST /v1/uploads/-P6xGdOK6scoZJdt2p7F/photos", "Content-Length: 5", 404),
            ("DELETE /v1/posts", "Content-Length: 5", 405),
        ])
    func refusedBeforeBody(line: String, fields: String, status: Int) async throws {
        try await withService { service in
            let request = "\(line) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\nExpect: 100-continue\r\n\r\n"
            let answers = try await service.answers(to: Array(request.utf8), isTCP: true)
            #expect(answers.map(\.status) == [status], "\(answers)")
        }
    }

    @Test("A client gets 100 Continue once, and never with HTTP/1.0", arguments: ["1.1", "1.0"])
    func asked(version: String) async throws {
        try await withService { service in
            let text = try await WireConnection.with(socket: service.socketPath) { connection in
                try await connection.send(
                    "PUT /a.json HTTP/\(version)\r\nHost: localhost\r\nContent-Length: 3\r\nConnection: close\r\nExpect: 100-Continue\r\n\r\n"
                )
                let asked = version == "1.1" ? await connection.read(until: "\r\n\r\n") : ""
                try await connection.send("123")
                return asked + (await connection.readToEnd())
            }
            #expect(
                text.hasPrefix(version == "1.1" ? "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 " : "HTTP/1.1 200 "),
                "\(text)")
            #expect(text.hasSuffix("\r\n\r\n123"), "\(text)")
        }
    }

    // MARK: - Slow bodies

    @Test(
        "A body that arrives too slowly is cut off, and leaves nothing",
        arguments: [
            ("PUT /a.json", "Content-Length: 9", "1"), ("POST /v1/uploads?user=maria", "Content-Length: 9000", "x"),
            ("POST /v1/uploads?user=maria", "Transfer-Encoding: chunked", "9\r\nx"),
        ])
    func slow(line: String, framing: String, part: String) async throws {
        try await withService(changeServer: { $0.bodyPatience = .zero }) { service in
            for isTCP in line.contains("json") ? [false] : [false, true] {
                let sender = isTCP ? "Authorization: \(try service.headers(of: "maria")[.authorization] ?? "")\r\n" : ""
                let request = "\(line) HTTP/1.1\r\nHost: localhost\r\n\(sender)\(framing)\r\n\r\n\(part)"
                let answers = try await service.answers(to: Array(request.utf8), isTCP: isTCP)
                #expect(answers.map(\.status) == [408], "\(answers)")
                #expect(answers.first?.body.contains("too slowly") == true, "\(answers)")
            }
            try await service.untilNothingIsUnfinished()
            #expect(try await service.client.get("/a.json").text == "null")
            #expect(try await service.client.get("/posts.json").text == "null")
        }
    }

    @Test("Only the time spent waiting for the sender counts, beyond its patience at 512 bytes a second")
    func pace() {
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
        var pace = BodyPace(patience: .seconds(60))
        #expect(pace.left(at: start + .hours(1)) == .seconds(60), "nobody waits yet")
        pace.wait(at: start)
        pace.wait(at: start + .seconds(10))
        #expect(pace.left(at: start + .seconds(20)) == .seconds(40))
        pace.receive(5120, at: start + .seconds(30))
        // The service needs an hour to process the received bytes.
        #expect(pace.left(at: start + .hours(1)) == .seconds(40))
        pace.wait(at: start + .hours(1))
        #expect(pace.left(at: start + .hours(1) + .seconds(40)) == .zero)
        pace.receive(1 << 30, at: start + .hours(1) + .seconds(1))
        #expect(pace.left(at: start + .hours(1)) == .seconds(60), "what came is no credit")
    }
}
