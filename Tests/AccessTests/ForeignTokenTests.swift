import Cryptography
import Testing
import TreeModel

@testable import Access

@Suite("ID tokens of other issuers")
struct ForeignTokenTests {
    private func user(_ token: String, _ settings: IssuerSettings, seconds: Int = Forge.time) throws -> ProvenUser {
        try ForeignVerifier(settings: settings, leewaySeconds: 60).user(
            of: WebToken(token), keys: PublicKeySet(document: Array(Foreign.jwks.utf8)),
            now: Timestamp(seconds: Int64(seconds)))
    }

    private func firebase() throws -> IssuerSettings { try .firebase(project: "demo") }

    private func oidc() throws -> IssuerSettings {
        try .oidc(issuer: "https://id.example.com", audiences: ["photos"], uidPrefix: "x-", provider: "example.com")
    }

    @Test("A Firebase token identifies its user in the form of security rules")
    func firebaseToken() throws {
        let user = try user(Foreign.firebase, firebase()).user
        #expect(user.uid == "ada")
        #expect(user.auth["uid"] == "ada")
        #expect(user.auth["provider"] == "password")
        #expect(user.auth["token"]?["aud"] == "demo")
        #expect(user.expiresAt == Timestamp(seconds: Int64(Forge.time + 3590)))
    }

    @Test("Certificates by name are accepted as well as a JSON Web Key Set", arguments: [true, false])
    func certificates(isCertificate: Bool) throws {
        let pem = isCertificate ? Foreign.certificate : Foreign.publicKey
        let document = JSONValue.object(["rsa": .string(pem), "broken": "-----BEGIN CERTIFICATE-----"]).text
        let keys = try PublicKeySet(document: document)
        let token = try WebToken(Foreign.firebase)
        #expect(throws: Never.self) { try token.check(signedBy: #require(keys.key(for: token))) }
    }

    @Test("An OpenID Connect token identifies its user", arguments: [Foreign.oidcRS256, Foreign.oidcES256])
    func oidcToken(token: String) throws {
        let user = try user(token, oidc()).user
        #expect(user.uid == "x-001%2Eab%2Fc")
        #expect(user.auth["provider"] == "example.com")
        #expect(user.auth["token"]?["sub"] == "001.ab/c")
        #expect(user.auth["token"]?["firebase"]?["sign_in_provider"] == "example.com")
    }

    @Test(
        "Other claims of an issuer give no rights, unless its entry names the claim",
        arguments: [([], nil), (["groups"], nil), (["admin"], true)] as [(Set<String>, JSONValue?)])
    func otherClaims(named: Set<String>, admin: JSONValue?) throws {
        let token = try Forge.foreign(["admin": true, "email": "ada@example.com", "email_verified": true])
        let auth = try user(token, .firebase(project: "demo", claims: named)).user.auth
        #expect(auth["token"]?["admin"] == admin)
        #expect(auth["token"]?["email"] == "ada@example.com" && auth["token"]?["email_verified"] == true)
        let other = try Forge.foreign(["iss": "https://id.example.com", "admin": true, "name": "Ada"])
        let settings = try IssuerSettings.oidc(issuer: "https://id.example.com", audiences: ["demo"], claims: named)
        let claims = try user(other, settings).user.auth["token"]
        #expect(claims?["admin"] == admin && claims?["name"] == "Ada")
    }

    @Test("Keys that are weak, or for another purpose, are not used", arguments: [Foreign.weak, Foreign.encryption])
    func unusableKeys(token: String) throws {
        #expect(throws: AccessError.unknownKey(issuer: "https://id.example.com")) { try user(token, oidc()) }
    }

    @Test("A token for several audiences must be issued to one of ours")
    func party() throws {
        let settings = try IssuerSettings.oidc(issuer: "https://id.example.com", audiences: ["other"])
        #expect(throws: AccessError.badToken(.wrongAudience)) { try user(Foreign.oidcRS256, settings) }
    }

    /// A token with a valid signature that is refused nevertheless.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var changes: [String: JSONValue] = [:]
        var header = #"{"alg":"RS256","kid":"rsa"}"#
        let error: AccessError

        init(_ name: String, _ changes: [String: JSONValue], _ error: AccessError) {
            (self.name, self.changes, self.error) = (name, changes, error)
        }

        init(_ name: String, header: String, _ error: AccessError) {
            (self.name, self.header, self.error) = (name, header, error)
        }

        var testDescription: String { name }
    }

    private static let issuer = "https://securetoken.google.com/demo"
    private static let other: JSONValue = "https://securetoken.google.com/other"

    static let rows = [
        Row("another project", ["aud": "other", "iss": other], .badToken(.wrongIssuer)),
        Row("another issuer", ["iss": other], .badToken(.wrongIssuer)),
        Row("an issuer that begins the same", ["iss": .string(issuer + "x")], .badToken(.wrongIssuer)),
        Row("no issuer", ["iss": .null], .badToken(.wrongIssuer)),
        Row("an issuer that is a list", ["iss": [.string(issuer)]], .badToken(.wrongIssuer)),
        Row("another audience", ["aud": "other"], .badToken(.wrongAudience)),
        Row("other audiences", ["aud": ["other", 1]], .badToken(.wrongAudience)),
        Row("no audience", ["aud": .null], .badToken(.wrongAudience)),
        Row("expired", ["exp": .integer(Forge.time - 60), "iat": .integer(Forge.time - 100)], .expired),
        Row("no expiry", ["exp": .null], .badToken(.badTime)),
        Row("an expiry that is text", ["exp": "1795003590"], .badToken(.badTime)),
        Row("a huge expiry", ["exp": .integer(.max)], .badToken(.badTime)),
        Row("an expiry beyond all numbers", ["exp": .double(1e300)], .badToken(.badTime)),
        Row("a life of more than a day", ["exp": .integer(Forge.time + 90_000)], .badToken(.badTime)),
        Row("an expiry before the issue", ["exp": .integer(Forge.time - 30)], .badToken(.badTime)),
        Row("a negative issue", ["iat": -1], .badToken(.badTime)),
        Row("no issue", ["iat": .null], .badToken(.badTime)),
        Row("issued in the future", ["iat": .integer(Forge.time + 61)], .badToken(.notYetValid)),
        Row("valid in the future", ["nbf": .integer(Forge.time + 61)], .badToken(.notYetValid)),
        Row("signed in in the future", ["auth_time": .integer(Forge.time + 61)], .badToken(.notYetValid)),
        Row("no sign-in", ["auth_time": .null], .badToken(.badTime)),
        Row("no subject", ["sub": .null], .badToken(.badSubject)),
        Row("an empty subject", ["sub": ""], .badToken(.badSubject)),
        Row("a subject that is a number", ["sub": 7], .badToken(.badSubject)),
        Row("a long subject", ["sub": .string(String(repeating: "u", count: 129))], .badToken(.badSubject)),
        Row("a subject with a line break", ["sub": "a\nb"], .badToken(.badSubject)),
        Row("two users", ["user_id": "bob"], .badToken(.badSubject)),
        Row("no algorithm", header: #"{"alg":"none","kid":"rsa"}"#, .badToken(.badAlgorithm)),
        Row("no algorithm, in capitals", header: #"{"alg":"NONE","kid":"rsa"}"#, .badToken(.badAlgorithm)),
        Row("another algorithm", header: #"{"alg":"RS512","kid":"rsa"}"#, .badToken(.badAlgorithm)),
        Row("another algorithm's key", header: #"{"alg":"ES256","kid":"rsa"}"#, .badToken(.badAlgorithm)),
        Row("a secret's algorithm", header: #"{"alg":"HS256","kid":"rsa"}"#, .badToken(.badAlgorithm)),
        Row("another key's name", header: #"{"alg":"RS256","kid":"ec"}"#, .badToken(.badAlgorithm)),
        Row("an unknown key's name", header: #"{"alg":"RS256","kid":"rsa2"}"#, .unknownKey(issuer: issuer)),
        Row("a path for a name", header: #"{"alg":"RS256","kid":"../../dev/null"}"#, .unknownKey(issuer: issuer)),
        Row("no name of a key", header: #"{"alg":"RS256"}"#, .badToken(.unknownKey)),
        Row(
            "a key that it brings along",
            header: #"{"alg":"RS256","kid":"x","jwk":{"kty":"RSA","n":"AQ","e":"AQAB"},"jku":"http://127.0.0.1"}"#,
            .unknownKey(issuer: issuer)),
    ]

    @Test("A token with a valid signature and invalid claims is refused", arguments: rows)
    func refused(row: Row) throws {
        let token = try Forge.foreign(row.changes, header: row.header)
        #expect(throws: row.error) { try user(token, firebase()) }
    }

    @Test("Clocks may differ by a minute", arguments: [("exp", -59), ("iat", 60), ("nbf", 60), ("auth_time", 60)])
    func leeway(claim: String, seconds: Int) throws {
        var changes: [String: JSONValue] = ["iat": .integer(Forge.time - 100)]
        changes[claim] = .integer(Forge.time + seconds)
        let token = try Forge.foreign(changes)
        #expect(throws: Never.self) { try user(token, firebase()) }
    }

    @Test("A token signed with the public key as if it were a secret is refused")
    func keyConfusion() throws {
        let payload = String(decoding: JSONValue.object(Forge.claims()).text, as: UTF8.self)
        for secret in [Foreign.publicKey, Foreign.publicKey + "\n", Foreign.certificate, Foreign.jwks] {
            let token = Forge.token(header: #"{"alg":"HS256","kid":"rsa"}"#, payload: payload) {
                Digest.hmacSHA256($0, key: Array(secret.utf8))
            }
            #expect(throws: AccessError.badToken(.badAlgorithm)) { try user(token, firebase()) }
        }
    }

    @Test("A token with any byte changed is refused")
    func forged() throws {
        let bytes = Array(Foreign.firebase.utf8)
        for index in stride(from: 0, to: bytes.count, by: 7) {
            var forged = bytes
            forged[index] = forged[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: AccessError.self) { try user(String(decoding: forged, as: UTF8.self), firebase()) }
            #expect(throws: AccessError.self) {
                try user(String(decoding: bytes.prefix(index), as: UTF8.self), firebase())
            }
        }
    }
}

@Suite("Keys")
struct KeyTests {
    @Test("An encrypted, a weak and a broken private key are refused")
    func privateKeys() throws {
        for pem in [Foreign.encryptedPrivateKey, Foreign.weakPrivateKey, "-----BEGIN PRIVATE KEY-----", ""] {
            #expect(throws: KeyError.self) { try SigningKey(pem: Secret(pem)) }
        }
        #expect(throws: Never.self) { try SigningKey(pem: Secret(Foreign.privateKey)) }
    }

    static let point = String(repeating: "A", count: 43)

    @Test(
        "A key that is not valid, or not for signatures, is refused",
        arguments: [
            #"{"kty":"RSA","n":"AQ","e":"AQAB"}"#, #"{"kty":"RSA","e":"AQAB"}"#, #"{"kty":"oct","k":"AAAA"}"#,
            #"{"kty":"EC","crv":"P-256","x":"\#(point)","y":"\#(point)"}"#, #"{"kty":"EC","crv":"P-384"}"#, "{}", "[]",
            #"{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ"}"#, #"{"kty":"OKP","crv":"Ed25519","x":"\#(point)"}"#,
        ])
    func publicKeys(text: String) throws {
        let key = try #require(JSONValue(text: text.utf8))
        #expect(throws: KeyError.self) { try WebKey.verificationKey(key) }
    }

    @Test(
        "An RSA exponent that is even, one or long, and an RSA key that is too long, are refused",
        arguments: ["AA", "AQ", "Ag", "AQAAAAE"])
    func exponents(exponent: String) throws {
        let n = Base64URL.encode([UInt8](repeating: 0xFF, count: 256))
        #expect(throws: KeyError.self) {
            try WebKey.verificationKey(["kty": "RSA", "n": .string(n), "e": .string(exponent)])
        }
        let long = Base64URL.encode([UInt8](repeating: 0xFF, count: 1025))
        #expect(throws: KeyError.self) {
            try WebKey.verificationKey(["kty": "RSA", "n": .string(long), "e": "AQAB"])
        }
        #expect(throws: Never.self) { try WebKey.verificationKey(["kty": "RSA", "n": .string(n), "e": "AQAB"]) }
    }

    @Test(
        "Addresses of keys use https, or are on this machine",
        arguments: [
            ("https://id.example.com", true), ("http://localhost:8080/x", true), ("http://127.0.0.1", true),
            ("http://id.example.com", false), ("http://localhost.example.com", false), ("file:///etc/passwd", false),
            ("http://localhost:80@example.com", false), ("https://a b", false), ("https://", false), ("", false),
        ])
    func addresses(url: String, isAllowed: Bool) {
        #expect(IssuerSettings.isAllowed(url: url) == isAllowed)
    }
}
