import Foundation
import Synchronization
import Testing
import TreeModel

@testable import Access

/// A simulated address in the network that a test controls.
private final class TestNetwork: Sendable {
    struct Unreachable: Error {}

    private let documents = Mutex<[String: FetchedDocument]>([:])
    private let requested = Mutex<[String]>([])
    private let kept = Mutex<[String: [UInt8]]>([:])
    private let warned = Mutex<[String]>([])

    var requests: [String] { requested.withLock(\.self) }
    var warnings: [String] { warned.withLock(\.self) }
    var saved: [String: [UInt8]] { kept.withLock(\.self) }

    func serve(_ text: String?, at url: String, maxAgeSeconds: Int? = nil) {
        documents.withLock {
            $0[url] = text.map { FetchedDocument(bytes: Array($0.utf8), maxAgeSeconds: maxAgeSeconds) }
        }
    }

    var fetcher: KeyFetcher {
        KeyFetcher(
            fetch: { url, _ in
                self.requested.withLock { $0.append(url) }
                guard let document = self.documents.withLock({ $0[url] }) else { throw Unreachable() }
                return document
            },
            load: { issuer in self.kept.withLock { $0[issuer] } },
            save: { issuer, document in self.kept.withLock { $0[issuer] = document } },
            warn: { _, problem in self.warned.withLock { $0.append(problem) } })
    }
}

@Suite("The keys of other issuers", .timeLimit(.minutes(20)))
struct IssuerKeysTests {
    private let network = TestNetwork()
    private let clock = TestClock()
    private static let issuer = "https://id.example.com"
    private static let url = "https://id.example.com/keys"
    private static let discovery = "https://id.example.com/.well-known/openid-configuration"

    private func keys(_ source: IssuerSettings.KeySource = .url(url)) throws -> IssuerKeys {
        let issuer = try IssuerSettings.oidc(issuer: Self.issuer, audiences: ["photos"], keySource: source)
        return IssuerKeys([issuer], fetcher: network.fetcher, now: { [clock] in clock.now })
    }

    /// Whether the keys include the one that signs valid tokens.
    private func isReady(_ keys: IssuerKeys) throws -> Bool {
        let token = try WebToken(Foreign.oidcRS256)
        return keys.issuer(Self.issuer)?.keys?.key(for: token) != nil
    }

    @Test("Keys are fetched from an address, and again before they expire")
    func fetching() async throws {
        let keys = try keys()
        #expect(try !isReady(keys))
        network.serve(Foreign.jwks, at: Self.url, maxAgeSeconds: 1000)
        await keys.refreshDue()
        #expect(try isReady(keys))
        let keyVersion = keys.keyVersion
        clock.advance(seconds: 899)
        await keys.refreshDue()
        #expect(network.requests.count == 1)
        clock.advance(seconds: 1)
        await keys.refreshDue()
        #expect(network.requests.count == 2)
        #expect(keys.keyVersion == keyVersion, "the same keys came again")
    }

    @Test(
        "Keys are cached for at least a minute and at most a day",
        arguments: [(0, 54), (-5, 54), (10_000_000, 77_760), (nil, 3240)] as [(Int?, Int64)])
    func bounds(maxAge: Int?, seconds: Int64) async throws {
        let keys = try keys()
        network.serve(Foreign.jwks, at: Self.url, maxAgeSeconds: maxAge)
        await keys.refreshDue()
        clock.advance(seconds: seconds - 1)
        await keys.refreshDue()
        #expect(network.requests.count == 1)
        clock.advance(seconds: 1)
        await keys.refreshDue()
        #expect(network.requests.count == 2)
    }

    @Test("The last valid keys are used while the address fails or serves other data, and after a start")
    func outage() async throws {
        let keys = try keys()
        network.serve(Foreign.jwks, at: Self.url, maxAgeSeconds: 60)
        await keys.refreshDue()
        for answer in [nil, "", "<html>", "{}", #"{"keys":[]}"#, String(repeating: " ", count: 300_000)] {
            network.serve(answer, at: Self.url)
            clock.advance(seconds: 86_400)
            await keys.refreshDue()
            #expect(try isReady(keys))
        }
        #expect(network.warnings.count == 6)
        #expect(try isReady(self.keys()), "a new start has the keys that were kept")
    }

    @Test("An unknown key is fetched at once, and then not again for half a minute")
    func unknownKey() async throws {
        let keys = try keys()
        network.serve(#"{"keys":[]}"#, at: Self.url)
        for _ in 0..<10 { await keys.refresh(issuer: Self.issuer) }
        await keys.refresh(issuer: "https://other.example.com")
        #expect(network.requests.count == 1)
        clock.advance(seconds: 31)
        network.serve(Foreign.jwks, at: Self.url)
        await withTaskGroup { group in
            for _ in 0..<10 { group.addTask { await keys.refresh(issuer: Self.issuer) } }
        }
        #expect(network.requests.count == 2)
        #expect(try isReady(keys))
    }

    @Test("A token proves a user at sign-in, once its keys have arrived")
    func user() async throws {
        let keys = try keys()
        #expect(throws: AccessError.unknownKey(issuer: Self.issuer)) { try keys.user(ofToken: Foreign.oidcES256) }
        #expect(throws: AccessError.badToken(.wrongIssuer)) { try keys.user(ofToken: Foreign.firebase) }
        network.serve(Foreign.jwks, at: Self.url)
        await keys.refresh(issuer: Self.issuer)
        #expect(try keys.user(ofToken: Foreign.oidcES256).user.auth["token"]?["email"] == "a@example.com")
    }

    @Test("The address of the keys can be read from the issuer's discovery document")
    func discovered() async throws {
        let keys = try keys(.discovery)
        network.serve(Foreign.jwks, at: Self.url)
        network.serve(#"{"issuer":"https://id.example.com","jwks_uri":"\#(Self.url)"}"#, at: Self.discovery)
        await keys.refreshDue()
        #expect(network.requests == [Self.discovery, Self.url])
        #expect(try isReady(keys))
    }

    @Test(
        "A discovery document of another issuer, or with an insecure address, is refused",
        arguments: [
            #"{"issuer":"https://evil.example.com","jwks_uri":"https://id.example.com/keys"}"#,
            #"{"issuer":"https://id.example.com","jwks_uri":"http://id.example.com/keys"}"#,
            #"{"issuer":"https://id.example.com","jwks_uri":"file:///etc/keys"}"#,
            #"{"issuer":"https://id.example.com"}"#, "{}",
        ])
    func badDescription(text: String) async throws {
        let keys = try keys(.discovery)
        network.serve(Foreign.jwks, at: Self.url)
        network.serve(text, at: Self.discovery)
        await keys.refreshDue()
        #expect(network.requests == [Self.discovery])
        #expect(try !isReady(keys))
    }

    @Test("Keys in a file are available at once, and are read again when it changes")
    func file() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("{}".utf8).write(to: file)
        let keys = try keys(.file(path: file.path))
        #expect(try !isReady(keys))
        #expect(network.warnings.count == 1)
        await keys.refreshDue()
        #expect(network.warnings.count == 1, "the file is as it was")
        try Data(Foreign.jwks.utf8).write(to: file)
        await keys.refreshDue()
        #expect(try isReady(keys))
        try Data("{".utf8).write(to: file)
        clock.advance(seconds: 60)
        await keys.refreshDue()
        #expect(try isReady(keys), "the last good keys stay")
        #expect(try isReady(self.keys(.file(path: file.path))) == false)
        #expect(network.requests.isEmpty)
        #expect(network.saved.isEmpty)
    }
}
