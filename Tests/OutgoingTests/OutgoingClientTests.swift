import NIOHTTP1
import NIOSSL
import TestSupport
import Testing

@testable import Outgoing

@Suite("Documents from other machines", .timeLimit(.minutes(20)))
struct OutgoingClientTests {
    /// Requests a document, and returns the error; nil without one.
    private func fault(
        at url: String, maxBytes: Int = 100, within time: Duration = .seconds(60)
    ) async throws -> String? {
        do {
            _ = try await OutgoingClient().document(at: url, maxBytes: maxBytes, within: time)
            return nil
        } catch let error as OutgoingError {
            return error.description
        }
    }

    @Test("A document arrives with the time for which it may be stored")
    func document() async throws {
        try await LoopbackServer.run { server in
            server.behave { _ in .init(200, "{}", headers: [("Cache-Control", "public, max-age=90"), ("Age", "30")]) }
            let document = try await OutgoingClient().document(at: server.origin + "/keys?a=b", maxBytes: 2)
            #expect(document.bytes == Array("{}".utf8) && document.maxAgeSeconds == 60)
            #expect(server.requests.map(\.path) == ["/keys?a=b"])
            #expect(server.requests.first?.headers["host"] == "127.0.0.1:\(server.port)")
        }
    }

    static let answers: [(LoopbackServer.Response?, String)] = [
        (.init(404), "answers 404"), (.init(204), "answers 204"),
        (.init(302, headers: [("Location", "http://127.0.0.1:1/")]), "answers 302, which leads to http://127.0.0.1:1/"),
        (.init(200, String(repeating: "x", count: 101)), "answers more than 100 bytes"),
        (.init(200, String(repeating: "x", count: 101), isUnfinished: true), "answers more than 100 bytes"),
        (.init(200, "{}", isUnfinished: true), "does not answer within 1 seconds"),
        (
            .init(200, "{}", isCut: true),
            "cannot be reached: its response is not valid HTTP, or is incomplete"
        ),
        (nil, "does not answer within 1 seconds"),
    ]

    @Test("A response that is not a document, is too long, redirects or takes too long is refused", arguments: answers)
    func refused(answer: LoopbackServer.Response?, fault: String) async throws {
        try await LoopbackServer.run(behaviour: { _ in answer }) { server in
            // Only a response that never ends needs a limit that is reached.
            let limit: Duration = fault.hasPrefix("does not answer") ? .seconds(1) : .seconds(60)
            let told = try await self.fault(at: server.origin + "/keys", within: limit)
            #expect(told == "\(server.origin)/keys \(fault)")
            #expect(server.requests.count == 1)
        }
    }

    @Test(
        "A response arrives over TLS from a machine whose certificate has its name or its IP address, and no other",
        arguments: [
            ("localhost", TestCertificate.first, true), ("127.0.0.1", .first, true), ("localhost", .elsewhere, false),
            ("127.0.0.1", .elsewhere, false),
        ])
    func trusted(host: String, served pair: TestCertificate, isNamed: Bool) async throws {
        let certificate = try NIOSSLCertificate(bytes: Array(pair.certificate.utf8), format: .pem)
        let key = try NIOSSLPrivateKey(bytes: Array(pair.key.utf8), format: .pem)
        let served = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(certificate)], privateKey: .privateKey(key))
        var trusting = TLSConfiguration.makeClientConfiguration()
        trusting.trustRoots = .certificates([certificate])
        let tls = try NIOSSLContext(configuration: trusting)
        try await LoopbackServer.run(
            tls: NIOSSLContext(configuration: served),
            behaviour: { request in .init(200, "\(request.method) \(request.path)") }
        ) { server in
            let target = try OutgoingTarget("https://\(host):\(server.port)/a%20b?c")
            let head = target.head(.GET, headers: [], bodyBytes: 0)
            let exchange = OutgoingExchange(target: target, tls: tls, maxBytes: 100)
            do {
                let response = try await exchange.response(to: head, body: [])
                #expect(isNamed && response.status == .ok && response.bytes == Array("GET /a%20b?c".utf8))
            } catch {
                #expect(!isNamed && OutgoingError.reason(of: error) == "its certificate is for another name")
                #expect(server.requests.isEmpty)
            }
        }
    }

    static let targets: [(String, host: String, port: Int, field: String, resource: String)] = [
        ("https://a.example", "a.example", 443, "a.example", "/"),
        ("HTTP://a.example:8080?b=c", "a.example", 8080, "a.example:8080", "/?b=c"),
        ("http://[::1]:80/x#y", "::1", 80, "[::1]:80", "/x"),
        ("https://user:secret@a.example/x", "a.example", 443, "a.example", "/x"),
        ("http://a.example/\r\nX:1", "a.example", 80, "a.example", "/%0D%0AX:1"), ("http://a\r\nb/", "", 0, "", ""),
        ("ftp://a.example/", "", 0, "", ""), ("https://", "", 0, "", ""),
        ("/x", "", 0, "", ""), ("http://a.example:70000/", "", 0, "", ""), ("http://a.example:0/", "", 0, "", ""),
    ]

    @Test("An address names a machine and a resource, or is refused", arguments: targets)
    func target(url: String, host: String, port: Int, field: String, resource: String) throws {
        guard !host.isEmpty else {
            #expect(throws: OutgoingTarget.Invalid.self) { try OutgoingTarget(url) }
            return
        }
        let target = try OutgoingTarget(url)
        let head = target.head(.GET, headers: [], bodyBytes: 0)
        #expect(target.host == host && target.port == port)
        #expect(head.headers["host"] == [field] && head.uri == resource)
    }

    @Test("An unreachable machine, and one whose certificate is not trusted, are refused")
    func unreachable() async throws {
        let context = try NIOSSLContext(configuration: try SelfSigned.server)
        try await LoopbackServer.run(tls: context, behaviour: { _ in .init(200, "{}") }) { server in
            let url = "https://localhost:\(server.port)/keys"
            let told = try await fault(at: url)
            #expect(told == "\(url) cannot be reached: its certificate was not issued by a trusted authority")
            #expect(server.requests.isEmpty)
        }
        // Not a port that a test has released: another test may use it by now.
        let gone = "https://127.0.0.1:1/keys"
        #expect(try await fault(at: gone) == "\(gone) cannot be reached: Connection refused")
        let unknown = "https://no-such-host.invalid/keys"
        #expect(
            try await fault(at: unknown) == "\(unknown) cannot be reached: the host no-such-host.invalid is unknown")
        #expect(try await fault(at: "https://no such host/")?.contains("cannot be reached") == true)
    }

    static let ages: [([(String, String)], Int?)] = [
        ([("Cache-Control", "max-age=10")], 10), ([("cache-control", "public, MAX-AGE=10, must-revalidate")], 10),
        ([("Cache-Control", "max-age=\"10\"")], 10),
        ([("Cache-Control", "public"), ("Cache-Control", "max-age=10")], 10),
        ([("Cache-Control", "max-age=10"), ("Age", "4")], 6), ([("Cache-Control", "max-age=10"), ("Age", "40")], 0),
        ([("Cache-Control", "max-age=10"), ("Age", "-4")], 10), ([("Cache-Control", "no-store")], 0),
        ([("Cache-Control", "max-age=10, no-cache")], 0), ([("Cache-Control", "s-maxage=10")], nil),
        ([("Cache-Control", "max-age=-1")], nil), ([("Cache-Control", "max-age=99999999999999999999")], nil),
        ([("Cache-Control", "max-age")], nil), ([("Cache-Control", "max-age=\"")], nil), ([], nil),
    ]

    @Test("The document specifies the time for which it may be stored", arguments: ages)
    func age(headers: [(String, String)], seconds: Int?) {
        #expect(CacheAge.seconds(in: HTTPHeaders(headers)) == seconds)
    }
}
