import Cryptography
import Testing
import TreeModel

@testable import Access

@Suite("Database secrets, admin keys and custom tokens")
struct OtherProofTests {
    private let service: AccessFixture

    init() throws { service = try AccessFixture() }

    @Test("A token signed with a secret contains the variable auth")
    func legacy() throws {
        let time = Forge.time
        let proof = try service.proof(service.legacyToken(#"{"v":0,"iat":\#(time),"d":{"uid":"ada","x":1}}"#))
        #expect(
            proof.identity
                == .user(
                    User(
                        uid: "ada", auth: ["uid": "ada", "x": 1], expiresAt: Timestamp(seconds: Int64(time + 86_400)))))
        let admin = try service.proof(service.legacyToken(#"{"v":0,"iat":\#(time),"admin":true,"exp":\#(time + 9)}"#))
        #expect(admin.identity == .admin)
        #expect(admin.expiresAt == Timestamp(seconds: Int64(time + 9)))
        #expect(throws: AccessError.revoked) {
            service.revocations.setDisabled(true, uid: "ada")
            return try service.proof(service.legacyToken(#"{"v":0,"iat":\#(time),"d":{"uid":"ada","x":1}}"#))
        }
    }

    static let legacyRows: [(String, AccessError)] = [
        (#"{"v":0,"d":{"uid":"ada"}}"#, .badToken(.badTime)),
        (#"{"v":1,"iat":1795000000,"d":{"uid":"ada"}}"#, .badToken(.badClaims)),
        (#"{"v":0,"iat":1795000000}"#, .badToken(.badSubject)),
        (#"{"v":0,"iat":1795000000,"d":{}}"#, .badToken(.badSubject)),
        (#"{"v":0,"iat":1795000000,"d":{"uid":1}}"#, .badToken(.badSubject)),
        (#"{"v":0,"iat":1795000000,"d":"ada"}"#, .badToken(.badSubject)),
        (#"{"v":0,"iat":1795000000,"admin":"true"}"#, .badToken(.badSubject)),
        (#"{"v":0,"iat":1795000061,"admin":true}"#, .badToken(.notYetValid)),
        (#"{"v":0,"iat":1794999000,"admin":true,"nbf":1795000061}"#, .badToken(.notYetValid)),
        (#"{"v":0,"iat":1794999000,"admin":true,"exp":1794999940}"#, .expired),
        (#"{"v":0,"iat":1794900000,"admin":true}"#, .expired),
        (#"{"v":0,"iat":1795000000,"admin":true,"exp":1e400}"#, .badToken(.invalidJSON)),
        (#"{"v":0,"iat":-1,"admin":true}"#, .badToken(.badTime)),
    ]

    @Test("A token signed with a secret is refused for invalid claims", arguments: legacyRows)
    func badLegacy(payload: String, error: AccessError) throws {
        #expect(throws: error) { try service.proof(service.legacyToken(payload)) }
    }

    @Test("A token signed with another secret, or with a short one, is refused")
    func badSecret() throws {
        let payload = #"{"v":0,"iat":1795000000,"admin":true}"#
        for secret in ["", "another", "short but sixteen", Foreign.publicKey] {
            #expect(throws: AccessError.badToken(.badSignature)) {
                try service.proof(service.legacyToken(payload, secret: secret))
            }
        }
        var settings = service.settings
        settings.secrets = []
        service.control.replaceSettings(settings)
        #expect(throws: AccessError.badToken(.badAlgorithm)) { try service.proof(service.legacyToken(payload)) }
    }

    @Test("An admin key is stored as a hash, and can be read back")
    func adminKey() throws {
        let (key, text) = try AdminKey.make(name: "backup")
        #expect(try AdminKey(key.json) == key)
        #expect(!String(decoding: key.json.text, as: UTF8.self).contains(text.text))
        #expect(key.matches(hash: Digest.sha256(text.text)))
        #expect(!key.matches(hash: Digest.sha256(text.text + "x")))
        for json: JSONValue in [[:], ["name": "x"], ["name": "x", "sha256": "AA"], key.json.setting("expires", "x")] {
            #expect(throws: KeyError.self) { try AdminKey(json) }
        }
    }

    @Test("A connection authorized by an admin key ends with the key, even when another gets its name")
    func replacedAdminKey() throws {
        let keys = service.settings.adminKeys
        let admin = try service.proof(service.adminKey.text)
        let acting = try service.proof(service.adminKey.text, actingFor: "bob")
        let other = try AdminKey.make(name: "other").key
        service.control.replaceAdminKeys(keys + [other])
        for proof in [admin, acting] { #expect(throws: Never.self) { try service.control.recheck(proof) } }
        let (successor, text) = try AdminKey.make(name: "ci", expiresAt: keys[0].expiresAt)
        service.control.replaceAdminKeys([successor, other])
        for proof in [admin, acting] {
            #expect(throws: AccessError.revoked) { try service.control.recheck(proof) }
        }
        #expect(throws: AccessError.badToken(.malformed)) { try service.proof(service.adminKey.text) }
        let new = try service.proof(text.text)
        #expect(throws: Never.self) { try service.control.recheck(new) }
    }

    // MARK: Custom tokens

    private static let email = "admin@demo.iam.example.com"

    private func verifier(isEmulator: Bool = false) throws -> CustomTokenVerifier {
        let file: JSONValue = [
            "type": "service_account", "client_email": .string(Self.email), "private_key": .string(Foreign.privateKey),
        ]
        return CustomTokenVerifier(
            accounts: [try ServiceAccount(document: file.text)], authority: service.authority, isEmulator: isEmulator)
    }

    private func customToken(_ changes: [String: JSONValue] = [:], algorithm: String = "RS256") throws -> String {
        var claims: [String: JSONValue] = [
            "iss": .string(Self.email), "sub": .string(Self.email), "aud": .string(CustomToken.audience),
            "iat": .integer(Forge.time), "exp": .integer(Forge.time + 3600), "uid": "ada", "claims": ["admin": true],
        ]
        claims.merge(changes) { $1 }
        let payload = String(decoding: JSONValue.object(claims).text, as: UTF8.self)
        let key = try SigningKey(pem: Secret(Foreign.privateKey))
        return try Forge.token(header: #"{"alg":"\#(algorithm)"}"#, payload: payload, sign: key.signature)
    }

    private func verify(_ token: String, isEmulator: Bool = false) throws -> CustomToken {
        try verifier(isEmulator: isEmulator).verify(token, now: service.clock.now)
    }

    @Test("A custom token of a service account names its user")
    func custom() throws {
        let token = try verify(customToken())
        #expect(token.uid == "ada")
        #expect(token.claims == ["admin": true])
        let own = try verify(try service.authority.issueCustomToken(uid: "bob"))
        #expect(own.uid == "bob")
        #expect(own.claims.isEmpty)
    }

    @Test("A custom token is not an ID token, and an ID token is not a custom token")
    func confusion() throws {
        let custom = try service.authority.issueCustomToken(uid: "bob")
        #expect(throws: AccessError.badToken(.wrongIssuer)) { try service.proof(custom) }
        let token = try service.authority.issue(["sub": "ada", "uid": "ada"])
        #expect(throws: AccessError.badToken(.wrongIssuer)) { try verify(token) }
    }

    static let customRows: [(String, JSONValue, AccessError)] = [
        ("iss", "other@example.com", .badToken(.wrongIssuer)), ("sub", "other@example.com", .badToken(.wrongIssuer)),
        ("aud", "demo", .badToken(.wrongAudience)), ("uid", "", .badToken(.badSubject)),
        ("uid", 7, .badToken(.badSubject)),
        ("uid", .string(String(repeating: "u", count: 129)), .badToken(.badSubject)),
        ("exp", .integer(Forge.time + 3601), .badToken(.badTime)),
        ("exp", .integer(Forge.time - 1), .badToken(.badTime)),
        ("iat", .integer(Forge.time + 61), .badToken(.notYetValid)), ("claims", "x", .badToken(.badClaims)),
        ("claims", ["sub": "eve"], .badToken(.badClaims)), ("claims", ["firebase": [:]], .badToken(.badClaims)),
        ("claims", ["user_id": "eve"], .badToken(.badClaims)),
        ("claims", ["x": .string(String(repeating: "x", count: 1000))], .badToken(.badClaims)),
    ]

    @Test("A custom token is refused for invalid claims", arguments: customRows)
    func badCustom(claim: String, value: JSONValue, error: AccessError) throws {
        #expect(throws: error) { try verify(customToken([claim: value])) }
    }

    @Test("An unsigned custom token is valid for an emulator only, and so is the bare JSON of one")
    func unsignedCustom() throws {
        let unsigned = Forge.token(header: #"{"alg":"none"}"#, payload: #"{"uid":"ada","exp":0}"#)
        let json = #"{"uid":"ada","claims":{"admin":true}}"#
        #expect(throws: AccessError.badToken(.wrongIssuer)) { try verify(unsigned) }
        #expect(throws: AccessError.badToken(.malformed)) { try verify(json) }
        #expect(try verify(unsigned, isEmulator: true).uid == "ada")
        #expect(try verify(json, isEmulator: true).claims == ["admin": true])
        #expect(throws: AccessError.badToken(.badClaims)) {
            try verify(#"{"uid":"ada","claims":{"sub":"eve"}}"#, isEmulator: true)
        }
        #expect(throws: AccessError.badToken(.badAlgorithm)) { try verify(customToken(algorithm: "none")) }
        #expect(throws: AccessError.badToken(.badAlgorithm)) { try verify(customToken(algorithm: "HS256")) }
        #expect(throws: AccessError.badToken(.badSignature)) { try verify(String(customToken().dropLast(4)) + "AAAA") }
    }

    @Test("A malformed file of a service account is refused", arguments: ["", "{}", #"{"client_email":"a"}"#])
    func serviceAccount(text: String) {
        #expect(throws: KeyError.self) { try ServiceAccount(document: Array(text.utf8)) }
        #expect(throws: KeyError.self) { try ServiceAccount(parsing: "/no/such/file") }
    }
}

extension JSONValue {
    fileprivate func setting(_ name: String, _ value: JSONValue) -> JSONValue {
        var json = self
        json[name] = value
        return json
    }
}
