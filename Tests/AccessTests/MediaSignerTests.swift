import Cryptography
import Testing
import TreeModel

@testable import Access

@Suite("Signed addresses of media")
struct MediaSignerTests {
    private let clock = TestClock()
    private static let path = "/media/posts/-P1/640 é.jpg"

    private func signer(_ keys: MediaKeys) -> MediaSigner { MediaSigner(keys: keys, now: { [clock] in clock.now }) }

    @Test("A token is valid for its path until it expires, and safe in an address")
    func lifetime() throws {
        let signer = signer(try MediaKeys())
        let token = signer.token(for: Self.path, lifetimeSeconds: 3600)
        #expect(token.utf8.allSatisfy { $0 == UInt8(ascii: ".") || Base64URL.decode([$0, $0, $0, $0]) != nil })
        clock.advance(seconds: 3600)
        let expiry = try signer.check(token, for: Self.path)
        clock.advance(seconds: expiry - clock.now.seconds - 1)
        #expect(throws: Never.self) { try signer.check(token, for: Self.path) }
        clock.advance(seconds: 1)
        #expect(throws: AccessError.expired) { try signer.check(token, for: Self.path) }
    }

    @Test("A request a little later gets the same token")
    func stability() throws {
        let signer = signer(try MediaKeys())
        let period = 1000 - clock.now.seconds % 1000
        let token = signer.token(for: Self.path, lifetimeSeconds: 1000)
        clock.advance(seconds: period - 1)
        #expect(signer.token(for: Self.path, lifetimeSeconds: 1000) == token)
        clock.advance(seconds: 1)
        #expect(signer.token(for: Self.path, lifetimeSeconds: 1000) != token)
    }

    @Test(
        "A token is valid for no other path",
        arguments: ["", "/", "/media/posts/-P1/640 é.jpg/", "/media/posts/-P1/640", "/media/posts/-P1/640%20é.jpg"])
    func otherPath(path: String) throws {
        let signer = signer(try MediaKeys())
        let token = signer.token(for: Self.path, lifetimeSeconds: 3600)
        #expect(throws: AccessError.badToken(.badSignature)) { try signer.check(token, for: path) }
    }

    @Test("A token that was changed at any position is refused")
    func forged() throws {
        let signer = signer(try MediaKeys())
        let token = signer.token(for: Self.path, lifetimeSeconds: 3600)
        let bytes = Array(token.utf8)
        for index in bytes.indices {
            for byte in ["A", "1", ".", "%", "-"].compactMap(\.utf8.first) where byte != bytes[index] {
                var forged = bytes
                forged[index] = byte
                #expect(throws: AccessError.self) {
                    try signer.check(String(decoding: forged, as: UTF8.self), for: Self.path)
                }
            }
            #expect(throws: AccessError.self) {
                try signer.check(String(decoding: bytes.prefix(index), as: UTF8.self), for: Self.path)
            }
        }
        let other = self.signer(try MediaKeys()).token(for: Self.path, lifetimeSeconds: 3600)
        let garbage = [other, token + ".", token + "A", token + "=", "..", String(repeating: "a", count: 10_000)]
        for text in garbage {
            #expect(throws: AccessError.self) { try signer.check(text, for: Self.path) }
        }
    }

    @Test("The key before the last is still accepted, the one before that is not, and keys can be stored as JSON")
    func rotation() throws {
        let first = try MediaKeys()
        let signer = signer(first)
        let token = signer.token(for: Self.path, lifetimeSeconds: 3600)
        let second = try MediaKeys(try first.rotated().json)
        signer.replaceKeys(second)
        #expect(throws: Never.self) { try signer.check(token, for: Self.path) }
        #expect(signer.token(for: Self.path, lifetimeSeconds: 3600) != token)
        signer.replaceKeys(try second.rotated())
        #expect(throws: AccessError.badToken(.unknownKey)) { try signer.check(token, for: Self.path) }
        #expect("\(first)" == "1 keys [hidden]")
    }

    @Test("A malformed list of keys is refused", arguments: [#"{}"#, #"{"keys":[]}"#, #"{"keys":[{"id":"a"}]}"#])
    func unreadableKeys(text: String) throws {
        let json = try #require(JSONValue(text: text.utf8))
        #expect(throws: KeyError.self) { try MediaKeys(json) }
        #expect(throws: KeyError.self) { try KeyRing(json) }
    }
}
