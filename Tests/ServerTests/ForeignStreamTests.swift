import Access
import Client
import HTTPTypes
import Synchronization
import TestSupport
import Testing
import TreeModel

@Suite("The database: streams by the tokens of another issuer", .timeLimit(.minutes(20)))
struct ForeignStreamTests {
    private struct NoKeys: Error {}

    /// An issuer whose keys are sent when the test permits it.
    private final class Elsewhere: Sendable {
        let authority: TokenAuthority
        let askedCount = Atomic<Int>(0)
        private let answers = AsyncStream.makeStream(of: Bool.self)

        init() throws { authority = TokenAuthority(project: "demo-photos", keys: try Service.keys.get()) }

        var keys: IssuerKeys {
            get throws {
                let fetcher = KeyFetcher(fetch: { [self] _, _ in
                    askedCount.add(1, ordering: .relaxed)
                    for await isGiven in answers.stream where isGiven {
                        let keys = JSONValue.object(authority.publicKeys.mapValues(JSONValue.string))
                        return FetchedDocument(bytes: Array(keys.text), maxAgeSeconds: nil)
                    }
                    throw NoKeys()
                })
                return IssuerKeys([try .firebase(project: "demo-photos")], fetcher: fetcher)
            }
        }

        /// Answers the next request for the keys.
        func answer(withKeys isGiven: Bool) {
            answers.continuation.yield(isGiven)
            answers.continuation.finish()
        }

        func request(_ uid: String) throws -> String {
            let token = try authority.issue(["sub": .string(uid), "user_id": .string(uid)])
            return "GET /people/\(uid)/full_name.json?auth=\(token) HTTP/1.1\r\nHost: localhost\r\n"
        }

        func untilAsked() async throws { try await eventually { askedCount.load(ordering: .relaxed) == 1 } }
    }

    private static let stream = "Accept: text/event-stream\r\n\r\n"
    /// A request that needs no proof.
    private static let read = "GET /feed.json HTTP/1.1\r\nHost: localhost\r\n\r\n"

    /// Runs the body against a service that trusts the issuer.
    private func withForeigners(
        of issuer: Elsewhere, _ body: @Sendable (Service) async throws -> Void
    ) async throws {
        try await withService(issuers: try issuer.keys) { service in
            let rules = #"{"rules": {"people": {".read": "auth != null"}, "feed": {".read": true}}}"#
            let answer = try await service.client.ask(
                .put, "/.settings/rules.json", body: .bytes(Array(rules.utf8)))
            #expect(answer.status == 200, "\(answer.text)")
            try await body(service)
        }
    }

    @Test("The first stream by an unknown key begins once the key has arrived, in its turn")
    func firstToken() async throws {
        let issuer = try Elsewhere()
        try await withForeigners(of: issuer) { service in
            try await WireConnection.with(port: service.tcpPort) { connection in
                try await connection.send(Self.read + Self.read + (try issuer.request("ann")) + Self.stream + Self.read)
                for _ in 0..<2 { #expect(await connection.answer()?.status == 200) }
                try await issuer.untilAsked()
                issuer.answer(withKeys: true)
                #expect(await connection.read(through: "\r\n\r\n")?.hasPrefix("HTTP/1.1 200 ") == true)
                let start = await connection.read(through: "\n\n")
                #expect(start == "event: put\ndata: {\"path\":\"/\",\"data\":null}\n\n")
                _ = try await service.client.ask(
                    .put, "/people/ann/full_name.json", body: .bytes(Array(#""Ann""#.utf8)))
                let event = await connection.read(through: "\n\n")
                #expect(event == "event: put\ndata: {\"path\":\"/\",\"data\":\"Ann\"}\n\n")
            }
        }
    }

    @Test("A stream whose key does not arrive is refused; later requests are answered", arguments: [1, 3])
    func noKey(count: Int) async throws {
        let issuer = try Elsewhere()
        try await withForeigners(of: issuer) { service in
            try await WireConnection.with(port: service.tcpPort) { connection in
                let refused = try issuer.request("ann") + Self.stream
                try await connection.send(String(repeating: refused, count: count) + Self.read)
                try await issuer.untilAsked()
                issuer.answer(withKeys: false)
                for _ in 0..<count {
                    let answer = await connection.answer()
                    #expect(answer?.status == 401 && answer?.text.contains("Could not parse auth token") == true)
                }
                #expect(await connection.answer()?.status == 200)
                try await connection.send(Self.read)
                #expect(await connection.answer()?.status == 200)
            }
            #expect(issuer.askedCount.load(ordering: .relaxed) == 1)
        }
    }

    @Test("Requests behind a waiting stream are not read, so that they cannot fill the memory")
    func flood() async throws {
        let issuer = try Elsewhere()
        try await withForeigners(of: issuer) { service in
            let isSent = Shared(false)
            let request = try issuer.request("ann")
            async let event = WireConnection.with(port: service.tcpPort) { connection in
                // More than the kernel's buffers hold for the two ends of a connection.
                let body = [UInt8](repeating: 0, count: 64 << 20)
                try await connection.send(request + "Content-Length: \(body.count)\r\n" + Self.stream)
                try await connection.send(body)
                isSent.change { $0 = true }
                return await connection.read(through: "\n\n")
            }
            try await issuer.untilAsked()
            // As much of another client is read meanwhile.
            let body = Array("\"\(String(repeating: "x", count: 8 << 20))\"".utf8)
            for _ in 0..<8 { _ = try await service.client.ask(.put, "/other.json", body: .bytes(body)) }
            #expect(!isSent.value)
            issuer.answer(withKeys: true)
            #expect(try await event != nil)
        }
    }

    @Test("A client that disconnects while its stream waits does not disturb others")
    func gone() async throws {
        let issuer = try Elsewhere()
        try await withForeigners(of: issuer) { service in
            try await WireConnection.with(port: service.tcpPort) { connection in
                try await connection.send(try issuer.request("ann") + Self.stream)
                try await issuer.untilAsked()
            }
            issuer.answer(withKeys: true)
            try await WireConnection.with(port: service.tcpPort) { connection in
                try await connection.send(try issuer.request("bob") + Self.stream)
                #expect(await connection.read(through: "\r\n\r\n")?.hasPrefix("HTTP/1.1 200 ") == true)
            }
        }
    }
}
