import Access
import Cryptography
import Synchronization
import Testing
import TreeModel

/// A clock that a test sets, in milliseconds since the epoch.
final class TestClock: Sendable {
    private let time = Mutex<Int64>(1_795_000_000_000)

    var now: Timestamp { Timestamp(milliseconds: time.withLock(\.self)) }
    func advance(seconds: Int64) { time.withLock { $0 += seconds * 1000 } }
}

@Suite("The service's own tokens")
struct TokenAuthorityTests {
    private let clock = TestClock()

    private func authority() throws -> (TokenAuthority, KeyRing) {
        let ring = try KeyRing(now: clock.now)
        return (TokenAuthority(project: "tintype", keys: ring, now: { [clock] in clock.now }), ring)
    }

    @Test("A token contains its claims in Firebase's form")
    func issue() throws {
        let (authority, _) = try authority()
        let claims = try authority.verify(try authority.issue(["sub": "ada", "iss": "forged", "n": .double(1.5)]))
        let now = JSONValue.integer(Int(clock.now.seconds))
        #expect(
            claims == [
                "sub": "ada", "iss": "https://securetoken.google.com/tintype", "aud": "tintype", "iat": now,
                "exp": .integer(Int(clock.now.seconds) + 3600), "auth_time": now, "n": .double(1.5),
            ])
    }

    @Test("A token expires a minute late, for clocks that differ")
    func expiry() throws {
        let (authority, _) = try authority()
        let token = try authority.issue(["sub": "ada"], lifetimeSeconds: 60)
        clock.advance(seconds: 119)
        #expect(throws: Never.self) { try authority.verify(token) }
        clock.advance(seconds: 1)
        #expect(throws: AccessError.expired) { try authority.verify(token) }
    }

    @Test("A new key is published before it signs, and an old one verifies until its last token has expired")
    func rotation() throws {
        let (authority, ring) = try authority()
        let rotated = try ring.rotated(now: clock.now)
        authority.replaceKeys(rotated)
        #expect(keyNames(authority).count == 2)
        let old = try authority.issue(["sub": "ada"])
        #expect(try headerOf(old)["kid"]?.string == keyNames(authority).first)
        authority.replaceKeys(try rotated.rotated(now: clock.now))
        #expect(keyNames(authority).count == 2, "a key waits already")
        clock.advance(seconds: 7200)
        let new = try authority.issue(["sub": "ada"])
        #expect(try headerOf(new)["kid"]?.string == keyNames(authority).last)
        #expect(throws: AccessError.expired) { try authority.verify(old) }
        clock.advance(seconds: 86_400 + 120)
        #expect(throws: AccessError.badToken(.unknownKey)) { try authority.verify(old) }
        #expect(keyNames(authority).count == 1)
    }

    @Test("Keys can be stored and read, and are not printed")
    func persistence() throws {
        let (authority, ring) = try authority()
        let token = try authority.issue(["sub": "ada"])
        let again = try KeyRing(try ring.json())
        let other = TokenAuthority(project: "tintype", keys: again, now: { [clock] in clock.now })
        #expect(try other.verify(token) == authority.verify(token))
        var dumped = "\(ring)"
        dump(ring, to: &dumped)
        dump(authority, to: &dumped)
        #expect(!dumped.contains("PRIVATE"))
    }

    @Test("A token of a replaced key is no longer valid")
    func replacement() throws {
        let (authority, _) = try authority()
        let token = try authority.issue(["sub": "ada"])
        authority.replaceKeys(try KeyRing(now: clock.now))
        #expect(throws: AccessError.badToken(.unknownKey)) { try authority.verify(token) }
    }

    private func keyNames(_ authority: TokenAuthority) -> [String] {
        guard case .list(let keys) = authority.jwks["keys"] else { return [] }
        return keys.compactMap { $0["kid"]?.string }
    }

    private func headerOf(_ token: String) throws -> JSONValue {
        let header = try #require(token.split(separator: ".").first)
        return try #require(Base64URL.decode(header.utf8).flatMap { JSONValue(text: $0) })
    }
}
