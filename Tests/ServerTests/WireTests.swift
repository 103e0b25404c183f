import Client
import Foundation
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@testable import Server

@Suite("HTTP/1.1 to the letter: what can be read in two ways is not read", .timeLimit(.minutes(5)))
struct WireTests {
    /// Bytes that are no request, and how they are refused.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: String
        var status = 400
        var code = "malformed_request"
        /// What the answer has to name.
        var says = ""

        init(
            _ name: String, _ bytes: String, _ status: Int = 400, _ code: String = "malformed_request",
            says: String = ""
        ) {
            (self.name, self.bytes, self.status, self.code, self.says) = (name, bytes, status, code, says)
        }

        /// A request for /healthz with these fields.
        init(
            fields: String, _ status: Int = 400, _ code: String = "malformed_request", says: String = "",
            version: String = "1.1"
        ) {
            self.init(
                fields, "GET /healthz HTTP/\(version)\r\nHost: localhost\r\n\(fields)\r\n\r\n", status, code, says: says
            )
        }

        var testDescription: String { "\(name.prefix(60)) is \(status)" }
    }

    private static func request(_ line: String) -> String { "\(line)\r\nHost: localhost\r\n\r\n" }

    static let lines: [Row] = [
        Row("two spaces before the address", request("GET  /healthz HTTP/1.1"), says: "one space"),
        Row("two spaces behind it", request("GET /healthz  HTTP/1.1"), says: "one space"),
        Row("a space at the end", request("GET /healthz HTTP/1.1 ")), Row("a space first", request(" GET / HTTP/1.1")),
        Row("tabs", request("GET\t/healthz\tHTTP/1.1")), Row("a space in the address", request("GET /a b HTTP/1.1")),
        Row("no version", request("GET /healthz")), Row("no HTTP", request("GET /healthz XTTP/1.1")),
        Row("rubbish", "rubbish\r\n\r\n"), Row("lower case", request("GET /healthz http/1.1")),
        Row("an unknown method", request("BREW /healthz HTTP/1.1"), says: "HTTP/1.1"),
        Row("a method that is no token", request("GE(T /healthz HTTP/1.1")),
        Row("a zero byte", request("GET /\0 HTTP/1.1")), Row("a control character", request("GET /\u{7} HTTP/1.1")),
        Row("raw UTF-8", request("GET /v1/posts?text=Größe HTTP/1.1"), says: "percent-encode"),
        Row("HTTP/2.0", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "version_not_supported", says: "HTTP/2.0"),
        Row("HTTP/0.9", request("GET / HTTP/0.9"), 505, "version_not_supported"),
        Row("no path", request("GET healthz HTTP/1.1")),
        Row("another scheme", request("GET ftp://localhost/ HTTP/1.1")),
        Row("a star", request("GET * HTTP/1.1")), Row("no host in it", request("GET http:///healthz HTTP/1.1")),
        Row("another host in it", request("GET http://evil.example/healthz HTTP/1.1"), says: "another host"),
        Row("another port in it", request("GET http://localhost:1/healthz HTTP/1.1"), says: "another host"),
        Row("a user in it", request("GET http://me@localhost/healthz HTTP/1.1"), says: "another host"),
        Row(
            "a long line", request("GET /healthz?\(String(repeating: "x", count: 33_000)) HTTP/1.1"), 431,
            "head_too_large"),
    ]

    static let fields: [Row] = [
        Row("no Host", "GET /healthz HTTP/1.1\r\n\r\n", says: "Host"),
        Row(fields: "Host: localhost", says: "2 Host fields"), Row(fields: "host: evil.example", says: "2 Host fields"),
        Row("two words as Host", "GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n", says: "Host"),
        Row("a path as Host", "GET /healthz HTTP/1.1\r\nHost: localhost/a\r\n\r\n", says: "Host"),
        Row("a user as Host", "GET /healthz HTTP/1.1\r\nHost: a@localhost\r\n\r\n", says: "Host"),
        Row(fields: "Transfer-Encoding: gzip, chunked", 501, "coding_not_supported", says: "gzip"),
        Row(fields: "Transfer-Encoding: chunked, gzip", says: "Transfer-Encoding"),
        Row(fields: "Transfer-Encoding: identity"), Row(fields: "Transfer-Encoding:"),
        Row(fields: "Transfer-Encoding: xchunked"), Row(fields: "Transfer-Encoding: chunked, chunked"),
        Row(fields: "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
        Row(fields: "Transfer-Encoding: \u{B}chunked"),
        Row(fields: "Transfer-Encoding: chunked\r\nContent-Length: 5", says: "both"),
        Row(fields: "Content-Length: 5\r\nTransfer-Encoding: chunked", says: "both"),
        Row(fields: "Transfer-Encoding: chunked", says: "HTTP/1.0", version: "1.0"),
        Row(fields: "Content-Length: 9223372036854775808", 413, "too_large_bytes", says: "9223372036854775808"),
        Row(fields: "Content-Length: 99999999999999999999999999999999", 413, "too_large_bytes"),
        Row(fields: "Content-Length: +5", says: "Content-Length"), Row(fields: "Content-Length: -1"),
        Row(fields: "Content-Length: 0x5"), Row(fields: "Content-Length: 5, 5"), Row(fields: "Content-Length: 1 2"),
        Row(fields: "Content-Length:"), Row(fields: "Content-Length: 0\r\nContent-Length: 0", says: "2 Content-Length"),
        Row(fields: "Content-Length : 0", says: "NAME: VALUE"), Row(fields: "X: a\r\n b", says: "NAME: VALUE"),
        Row(fields: ": x"), Row(fields: "X"), Row(fields: "X(: y"), Row(fields: "X: a\rb"), Row(fields: "X: a\0b"),
        Row(fields: "X: a\nY: b", says: "CR and LF"),
        Row("bare line feeds", "GET /healthz HTTP/1.1\nHost: localhost\n\n", says: "CR and LF"),
        Row(fields: "X: " + String(repeating: "x", count: 33_000), 431, "head_too_large"),
        Row(
            fields: (0..<101).map { "X: \($0)" }.joined(separator: "\r\n"), 431, "head_too_large", says: "limit is 100"),
        Row(
            "a head without end",
            "GET /healthz HTTP/1.1\r\n" + (0..<9).map { "X\($0): \(String(repeating: "x", count: 8000))\r\n" }.joined(),
            431, "head_too_large"),
    ]

    @Test(arguments: lines + fields)
    func refused(row: Row) async throws {
        try await withService { service in
            let before = "GET /v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let after = "GET /v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n"
            for isTCP in [false, true] {
                for isPipelined in [false, true] {
                    let answers = try await answers(
                        to: Array(((isPipelined ? before : "") + row.bytes + after).utf8), service, isTCP: isTCP)
                    #expect(answers.count == (isPipelined ? 2 : 1), "\(answers)")
                    #expect(!isPipelined || answers.first?.status == 200, "what came before is answered")
                    let answer = try #require(answers.last)
                    #expect(answer.status == row.status, "\(answer)")
                    #expect(answer.fields["connection"] == "close", "\(answer)")
                    #expect(answer.fields["content-type"] == "application/problem+json", "\(answer)")
                    #expect(answer.body.contains("\"code\":\"\(row.code)\""), "\(answer)")
                    #expect(row.says.isEmpty || answer.body.contains(row.says), "\(answer)")
                }
            }
            #expect(try await service.client.get("/healthz").status == 200)
        }
    }

    // MARK: - Bodies

    static let chunks = [
        "zz\r\n", " 1\r\n1\r\n0\r\n\r\n", "1 \r\n1\r\n0\r\n\r\n", "1\n1\r\n0\r\n\r\n", "1\r1\r\n0\r\n\r\n",
        "1\r\n12\r\n0\r\n\r\n",
        "1\r\n1\n0\r\n\r\n", "-1\r\n", "0x1\r\n1\r\n0\r\n\r\n", "\r\n", ";a\r\n", "fffffffffffffffff\r\n",
        "1;\(String(repeating: "x", count: 9000))\r\n1\r\n0\r\n\r\n", "1\r\n1\r\n0\r\nX: y\n\r\n",
    ]

    @Test("A body that is not chunked as it says is refused, and writes nothing", arguments: chunks)
    func chunked(body: String) async throws {
        try await withService { service in
            for (line, says) in [
                ("PUT /a.json", "{\"error\":\"the request cannot be read"),
                ("POST /v1/uploads?user=maria&text=x", "\"code\":\"malformed_request\""),
            ] {
                let request = "\(line) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"
                let answers = try await answers(to: Array(request.utf8), service, isTCP: false)
                #expect(answers.map(\.status) == [400], "\(answers)")
                #expect(answers.first?.body.contains(says) == true, "\(answers)")
            }
            #expect(try await service.client.get("/a.json").text == "null")
            try await service.untilNothingIsUnfinished()
        }
    }

    // MARK: - What has to be taken

    static let good = [
        request("GET /v1/version HTTP/1.1"), "\r\n\r\n" + request("GET /v1/version HTTP/1.1"),
        request("GET http://localhost/v1/version HTTP/1.1"), request("GET HTTP://LOCALHOST/v1/version HTTP/1.1"),
        request("GET https://localhost/v1/version?a=b HTTP/1.1"),
        "GET /v1/version HTTP/1.1\r\nhOST:localhost\t \r\nX:\r\nY: \t é b\t\r\nContent-Length:  0 \r\n\r\n",
        "PUT /a.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n123",
        "PUT /a.json HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: Chunked\r\n\r\n"
            + "0005;name=\"v\"\r\n[1,\r\n\r\na\r\n\r\n\r\n 2, 3]\r\n0\r\nTrailer: x\r\nOther: y\r\n\r\n",
    ]

    @Test("What is a request is one, however its bytes are cut, and others may follow it", arguments: good)
    func taken(request: String) async throws {
        try await withService(changeServer: { $0.database.isEmulator = true }) { service in
            let bytes = Array((request + request + Self.request("GET /healthz HTTP/1.1\r\nConnection: close")).utf8)
            for size in [1, 7, 1000] {
                let answers = try await answers(to: bytes, service, isTCP: size == 7, cutInto: size)
                #expect(answers.map(\.status) == [200, 200, 200], "\(answers)")
            }
        }
    }

    @Test(
        "A connection is kept for who asks to keep it",
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
            let answers = try await answers(to: Array((request + last).utf8), service, isTCP: true)
            #expect(answers.map(\.status) == (isKept ? [200, 200] : [200]), "\(answers)")
            #expect(answers.last?.fields["connection"] == "close", "\(answers)")
        }
    }

    @Test("HTTP/1.0 needs no Host on the socket, and gets a long answer whole before the connection ends")
    func longAnswer() async throws {
        try await withService { service in
            let value = "{\"a\":\"\(String(repeating: "x", count: 9 << 20))\",\"b\":1}"
            _ = try await service.client.ask(.put, "/a.json", body: .bytes(Array(value.utf8)))
            let answers = try await answers(to: Array("GET /a.json HTTP/1.0\r\n\r\n".utf8), service, isTCP: false)
            #expect(answers.first?.body == value)
        }
    }

    @Test("HTTP/1.0 knows no chunks: an answer without a length ends with its connection")
    func noChunks() async throws {
        try await withService { service in
            let text = try await RawConnection.with(socket: service.socketPath) { connection in
                try await connection.send("POST /v1/rethumb HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                return try await connection.read()
            }
            #expect(text.hasPrefix("HTTP/1.0 200 ") || text.hasPrefix("HTTP/1.1 200 "), "\(text)")
            #expect(!text.lowercased().contains("transfer-encoding"), "\(text)")
            #expect(text.hasSuffix("}\n") && text.contains("\r\n\r\n{"), "\(text)")
        }
    }

    @Test(
        "A request that would rather speak another protocol is answered, and its connection closed: nothing waits for ever",
        arguments: [
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n",
            "GET /.ws?v=5 HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive, upgrade\r\nUpgrade: websocket\r\n\r\n",
            "PUT /a.json HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 1\r\n\r\n1",
            "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n",
        ])
    func upgrade(request: String) async throws {
        try await withService { service in
            let next = "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let answer = try await RawConnection.with(socket: service.socketPath) { connection in
                try await connection.send(request + next)
                return try await connection.read()
            }
            #expect(answer.hasPrefix("HTTP/1.1 "), "\(answer)")
            #expect(answer.lowercased().contains("\r\nconnection: close\r\n"), "\(answer)")
            #expect(!answer.contains("ready"), "what follows is not taken for a request of this protocol")
        }
    }

    // MARK: - Asking for bodies

    @Test(
        "Who is refused for what the head says is not asked for the body first",
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
            let answers = try await answers(to: Array(request.utf8), service, isTCP: true)
            #expect(answers.map(\.status) == [status], "\(answers)")
        }
    }

    @Test("A body that is wanted is asked for once, and not from HTTP/1.0", arguments: ["1.1", "1.0"])
    func asked(version: String) async throws {
        try await withService { service in
            let text = try await RawConnection.with(socket: service.socketPath) { connection in
                try await connection.send(
                    "PUT /a.json HTTP/\(version)\r\nHost: localhost\r\nContent-Length: 3\r\nConnection: close\r\nExpect: 100-Continue\r\n\r\n"
                )
                let asked = version == "1.1" ? try await connection.read(until: "\r\n\r\n") : ""
                try await connection.send("123")
                return asked + (try await connection.read())
            }
            #expect(
                text.hasPrefix(version == "1.1" ? "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 " : "HTTP/1.1 200 "),
                "\(text)")
            #expect(text.hasSuffix("\r\n\r\n123"), "\(text)")
        }
    }

    // MARK: - Slow bodies

    @Test(
        "A body that comes too slowly is cut off, and leaves nothing",
        arguments: [
            ("PUT /a.json", "Content-Length: 9", "1"), ("POST /v1/uploads?user=maria", "Content-Length: 9000", "x"),
            ("POST /v1/uploads?user=maria", "Transfer-Encoding: chunked", "9\r\nx"),
        ])
    func slow(line: String, framing: String, part: String) async throws {
        try await withService(changeServer: { $0.bodyPatience = .zero }) { service in
            for isTCP in line.contains("json") ? [false] : [false, true] {
                let request = "\(line) HTTP/1.1\r\nHost: localhost\r\n\(framing)\r\n\r\n\(part)"
                let answers = try await answers(to: Array(request.utf8), service, isTCP: isTCP)
                #expect(answers.map(\.status) == [408], "\(answers)")
                #expect(answers.first?.body.contains("too slowly") == true, "\(answers)")
            }
            try await service.untilNothingIsUnfinished()
            #expect(try await service.client.get("/a.json").text == "null")
            #expect(try await service.client.get("/posts.json").text == "null")
        }
    }

    @Test("Only the time that is waited for the sender counts, beyond its patience at 512 bytes a second")
    func pace() {
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
        var pace = BodyPace(patience: .seconds(60))
        #expect(pace.left(at: start + .hours(1)) == .seconds(60), "nobody waits yet")
        pace.wait(at: start)
        pace.wait(at: start + .seconds(10))
        #expect(pace.left(at: start + .seconds(20)) == .seconds(40))
        pace.receive(5120, at: start + .seconds(30))
        // The service takes an hour to deal with what came.
        #expect(pace.left(at: start + .hours(1)) == .seconds(40))
        pace.wait(at: start + .hours(1))
        #expect(pace.left(at: start + .hours(1) + .seconds(40)) == .zero)
        pace.receive(1 << 30, at: start + .hours(1) + .seconds(1))
        #expect(pace.left(at: start + .hours(1)) > .hours(500))
    }

    // MARK: - Speaking

    /// An answer as it came.
    struct Spoken: Sendable {
        let status: Int
        let fields: [String: String]
        let body: String
    }

    /// Sends bytes, and reads the answers until the service ends the connection.
    private func answers(
        to bytes: [UInt8], _ service: Service, isTCP: Bool, cutInto size: Int = .max
    ) async throws -> [Spoken] {
        let text =
            isTCP
            ? try await RawConnection.with(port: service.tcpPort) {
                try await Self.speak(bytes, cutInto: size, to: &$0)
            }
            : try await RawConnection.with(socket: service.socketPath) {
                try await Self.speak(bytes, cutInto: size, to: &$0)
            }
        return try Self.parse(text)
    }

    private static func speak(
        _ bytes: [UInt8], cutInto size: Int, to connection: inout RawConnection
    ) async throws -> String {
        for start in stride(from: 0, to: bytes.count, by: min(size, bytes.count)) {
            try await connection.send(Array(bytes[start..<min(start + min(size, bytes.count), bytes.count)]))
        }
        return try await connection.read()
    }

    private static func parse(_ text: String) throws -> [Spoken] {
        var answers: [Spoken] = []
        var rest = text[...].utf8
        while !rest.isEmpty {
            let end = try #require(rest.firstRange(of: "\r\n\r\n".utf8), "\(text.prefix(2000))")
            let lines = Substring(rest[..<end.lowerBound]).split(separator: "\r\n")
            let fields = Dictionary(
                lines.dropFirst().map { line in
                    let parts = line.split(separator: ":", maxSplits: 1)
                    return (
                        parts[0].lowercased(), parts.dropFirst().first.map { $0.trimmingPrefix(" ").description } ?? ""
                    )
                }, uniquingKeysWith: { $0 + ", " + $1 })
            let status = Int(lines.first?.split(separator: " ").dropFirst().first ?? "") ?? 0
            rest = rest[end.upperBound...]
            let body = rest.prefix(status == 204 ? 0 : Int(fields["content-length"] ?? "") ?? 0)
            answers.append(Spoken(status: status, fields: fields, body: String(Substring(body))))
            rest = rest[body.endIndex...]
        }
        return answers
    }
}
