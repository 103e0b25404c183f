import Client
import TestSupport
import Testing

@Suite("HTTP/1.1 by the standard: ambiguous requests are refused", .timeLimit(.minutes(20)))
struct WireTests {
    /// A malformed request, and its refusal.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: String
        var status = 400
        var code = "malformed_request"
        /// The text that the answer must contain.
        var says = ""

        init(
            _ name: String, _ bytes: String, _ status: Int = 400, _ code: String = "malformed_request",
            says: String = ""
        ) {
            (self.name, self.bytes, self.status, self.code, self.says) = (name, bytes, status, code, says)
        }

        /// Creates a request for /healthz with these fields.
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
        Row("raw UTF-8", request("GET /v1/posts?text=Größe HTTP/1.1"), says: "Percent-encode"),
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
                    let bytes = Array(((isPipelined ? before : "") + row.bytes + after).utf8)
                    let answers = try await service.answers(to: bytes, isTCP: isTCP)
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
}
