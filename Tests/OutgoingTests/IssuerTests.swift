import Foundation
import Logging
import TestSupport
import Testing
import TreeModel

@testable import Access
@testable import Outgoing

@Suite("Tokens of external issuers, whose keys are fetched over the network", .timeLimit(.minutes(20)))
struct IssuerTests {
    /// A service's access control for tokens, and its keys.
    private struct Judge: Sendable {
        let keys: IssuerKeys
        let control: AccessControl
        let clock: TestClock

        init(_ issuers: [IssuerSettings], _ client: OutgoingClient, in scratch: Scratch) throws {
            let clock = TestClock()
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let fetcher = KeyFetcher(client, of: issuers, keptIn: scratch.path + "/issuer-keys", logger: logger)
            keys = IssuerKeys(issuers, fetcher: fetcher, now: { clock.now() })
            control = AccessControl(
                AccessControl.Settings(peers: try PeerPolicy()), authority: nil, issuers: keys,
                now: { clock.now() })
            self.clock = clock
        }

        /// Returns the user of a token, as the authentication of a request does; newer keys are requested once.
        func uid(_ token: String) async throws -> String? {
            let credentials = Credentials(peer: .network(address: "192.0.2.1"), token: token)
            do throws(AccessError) {
                return try control.identity(for: credentials).uid
            } catch {
                guard await control.refreshKeys(after: error) else { throw error }
                return try control.identity(for: credentials).uid
            }
        }
    }

    private func withIssuer(
        _ body: @Sendable (Issuer, OutgoingClient, Scratch) async throws -> Void
    ) async throws {
        try await withScratch { scratch in
            try await LoopbackServer.run { server in
                let issuer = try Issuer(at: server)
                try await body(issuer, OutgoingClient(), scratch)
            }
        }
    }

    /// Returns the name of the file with the stored keys; nil without one.
    private static func keptKeys(in folder: String) -> String? {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
        return names?.first { $0.hasSuffix(".json") }
    }

    @Test("The first token has the keys found and fetched; later tokens are checked without a request")
    func first() async throws {
        try await withIssuer { issuer, client, scratch in
            let judge = try Judge([issuer.settings()], client, in: scratch)
            for _ in 0..<3 { #expect(try await judge.uid(issuer.token()) == "x-ann") }
            #expect(issuer.server.requests.map(\.path) == ["/realm/.well-known/openid-configuration", "/keys"])
        }
    }

    @Test("A token that is expired, for others, unsigned or signed with another key proves nothing")
    func refused() async throws {
        try await withIssuer { issuer, client, scratch in
            let judge = try Judge([issuer.settings()], client, in: scratch)
            await judge.keys.refreshDue()
            let now = Int(Date().timeIntervalSince1970)
            let payload = try issuer.token().split(separator: ".")[1]
            let signed = try issuer.token().split(separator: ".").prefix(2).joined(separator: ".")
            let rows: [(String, AccessError)] = [
                (try issuer.token(["exp": .integer(now - 100), "iat": .integer(now - 200)]), .expired),
                (try issuer.token(["aud": "others"]), .badToken(.wrongAudience)),
                (try issuer.token(["iss": "https://id.example.com"]), .badToken(.wrongIssuer)),
                (try issuer.token(["sub": .null]), .badToken(.badSubject)),
                ("eyJhbGciOiJub25lIn0.\(payload).", .badToken(.badAlgorithm)),
                ("\(signed).\(String(repeating: "A", count: 342))", .badToken(.badSignature)),
            ]
            for (token, error) in rows { await #expect(throws: error) { try await judge.uid(token) } }
            #expect(issuer.fetchCount == 1)
        }
    }

    @Test("A new key is fetched once at its first token, however many arrive")
    func rotated() async throws {
        try await withIssuer { issuer, client, scratch in
            let judge = try Judge([issuer.settings()], client, in: scratch)
            let old = try issuer.token()
            #expect(try await judge.uid(old) == "x-ann")
            try issuer.rotate(to: "second")
            let new = try issuer.token()
            await #expect(throws: AccessError.unknownKey(issuer: issuer.name)) { try await judge.uid(new) }
            #expect(issuer.fetchCount == 1, "not so soon after the last fetch")
            judge.clock.advance(by: 31_000)
            try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<50 { group.addTask { try await judge.uid(new) } }
                for try await uid in group { #expect(uid == "x-ann") }
            }
            #expect(issuer.fetchCount == 2)
            await #expect(throws: AccessError.self, "the old key is no longer valid") { try await judge.uid(old) }
        }
    }

    @Test("A token that was checked just before its key was fetched is checked again")
    func fetchedMeanwhile() async throws {
        try await withIssuer { issuer, client, scratch in
            let judge = try Judge([issuer.settings()], client, in: scratch)
            let credentials = Credentials(peer: .network(address: "192.0.2.1"), token: try issuer.token())
            let error = #expect(throws: AccessError.self) { try judge.control.identity(for: credentials) }
            await judge.keys.refresh(issuer: issuer.name)
            #expect(await judge.control.refreshKeys(after: try #require(error)))
            #expect(try judge.control.identity(for: credentials).uid == "x-ann")
            #expect(issuer.fetchCount == 1)
        }
    }

    @Test("A flood of tokens with unknown keys does not cause a flood of requests")
    func flood() async throws {
        try await withIssuer { issuer, client, scratch in
            let judge = try Judge([issuer.settings()], client, in: scratch)
            #expect(try await judge.uid(issuer.token()) == "x-ann")
            judge.clock.advance(by: 31_000)
            await withTaskGroup { group in
                for index in 0..<500 {
                    group.addTask {
                        await #expect(throws: AccessError.unknownKey(issuer: issuer.name)) {
                            try await judge.uid(issuer.token(keyID: "k\(index)"))
                        }
                    }
                }
            }
            #expect(issuer.fetchCount == 2)
        }
    }

    @Test("The last keys of an unreachable issuer remain valid, also after a start; other keys and broken files do not")
    func outage() async throws {
        try await withIssuer { issuer, client, scratch in
            let settings = try issuer.settings()
            let token = try issuer.token()
            let judge = try Judge([settings], client, in: scratch)
            #expect(try await judge.uid(token) == "x-ann")
            let folder = scratch.path + "/issuer-keys"
            // The fetcher stores it, after the keys are valid.
            try await eventually { Self.keptKeys(in: folder) != nil }
            await issuer.server.stop()
            judge.clock.advance(by: 2_000_000)
            await judge.keys.refreshDue()
            #expect(try await judge.uid(token) == "x-ann")

            let next = try Judge([settings], client, in: scratch)
            #expect(try await next.uid(token) == "x-ann")
            let moved = try Judge([issuer.settings(.url(issuer.server.origin + "/other"))], client, in: scratch)
            await #expect(throws: AccessError.unknownKey(issuer: issuer.name)) { try await moved.uid(token) }
            let name = try #require(Self.keptKeys(in: folder))
            for damage in ["", "{\"keys\":[", "{\"keys\":[]}", String(repeating: "[", count: 300_000)] {
                try scratch.write(damage, to: "issuer-keys/\(name)")
                let damaged = try Judge([settings], client, in: scratch)
                await #expect(throws: AccessError.unknownKey(issuer: issuer.name)) { try await damaged.uid(token) }
            }
        }
    }

    @Test("An issuer that does not respond delays neither the tokens of another nor the end of the service")
    func hanging() async throws {
        try await withIssuer { issuer, client, scratch in
            try await LoopbackServer.run(behaviour: { _ in nil }) { silent in
                let other = try IssuerSettings.oidc(
                    issuer: silent.origin, audiences: ["photos"], provider: "oidc.other")
                let judge = try Judge([issuer.settings(), other], client, in: scratch)
                let upkeep = Task { try await judge.keys.run() }
                try await eventually { silent.requests.count == 1 }
                #expect(try await judge.uid(issuer.token()) == "x-ann")
                let start = ContinuousClock.now
                upkeep.cancel()
                await #expect(throws: CancellationError.self) { try await upkeep.value }
                #expect(ContinuousClock.now - start < .seconds(8), "it was cut off, and did not use its 10 seconds")
            }
        }
    }
}
