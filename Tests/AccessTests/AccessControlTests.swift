import Cryptography
import Testing
import TreeModel

@testable import Access

/// A service that accepts its own tokens, those of Firebase's project demo, secrets and admin keys.
struct AccessFixture {
    let clock = TestClock()
    let authority: TokenAuthority
    let ring: KeyRing
    let revocations: RevocationList
    let control: AccessControl
    let settings: AccessControl.Settings
    let adminKey: Secret

    /// The signing keys of all tests, as generating one takes a while.
    private static let sharedRing = Result { try KeyRing(now: TestClock().now) }

    static let secret = "0123456789abcdef0123456789abcdef01234567"

    init(isEmulator: Bool = false, peers: String = "", issuers: [IssuerSettings]? = nil) throws {
        let now: @Sendable () -> Timestamp = { [clock] in clock.now }
        ring = try Self.sharedRing.get()
        authority = TokenAuthority(project: "tintype", keys: ring, now: now)
        let (key, text) = try AdminKey.make(name: "ci", expiresAt: clock.now + .seconds(1000))
        adminKey = text
        revocations = RevocationList(now: now)
        var settings = AccessControl.Settings(
            peers: try PeerPolicy(peers, ownUser: 1000, ownGroup: 100) { $0 == 1001 ? [1001, 100] : [$0] })
        settings.isEmulator = isEmulator
        settings.secrets = [Secret(Self.secret), Secret("short but sixteen")]
        settings.adminKeys = [key]
        self.settings = settings
        let keys = IssuerKeys(
            try issuers ?? [.firebase(project: "demo")],
            fetcher: KeyFetcher(
                fetch: { _, _ in throw KeyError("there is no network") }, load: { _ in Array(Foreign.jwks.utf8) }),
            now: now)
        control = AccessControl(settings, authority: authority, issuers: keys, revocations: revocations, now: now)
    }

    func proof(_ token: String?, override: String? = nil, actingFor: String? = nil) throws(AccessError) -> Proof {
        try control.proof(
            for: Credentials(
                peer: .network(address: "192.0.2.1"), token: token, override: override, actingFor: actingFor))
    }

    func proof(ofUser user: UInt32, group: UInt32 = 9, actingFor: String? = nil) throws(AccessError) -> Proof {
        let peer = PeerCredentials(userID: user, groupID: group, processID: 1)
        return try control.proof(for: Credentials(peer: .local(peer), actingFor: actingFor))
    }

    /// Returns a token that is signed with a database secret.
    func legacyToken(_ payload: String, secret: String = secret) -> String {
        Forge.token(header: #"{"alg":"HS256","typ":"JWT"}"#, payload: payload) {
            Digest.hmacSHA256($0, key: Array(secret.utf8))
        }
    }
}

@Suite("The identity of a request")
struct AccessControlTests {
    private let service: AccessFixture

    init() throws { service = try AccessFixture() }

    @Test("A request over TCP without a token is anonymous")
    func anonymous() throws {
        #expect(try service.proof(nil).identity == .anonymous)
        #expect(throws: AccessError.denied) { try service.proof(nil, actingFor: "ada") }
        #expect(throws: AccessError.denied) { try service.proof(nil, override: "null") }
    }

    @Test("P1: Tokens of all kinds prove their user, the first time and from the cache")
    func tokens() throws {
        let own = try service.authority.issue(["sub": "ada", "firebase": ["sign_in_provider": "anonymous"]])
        for _ in 0..<2 {
            #expect(try service.proof(own).identity.uid == "ada")
            #expect(try service.proof(own).kind == .token)
            let foreign = try service.proof(Foreign.firebase)
            #expect(foreign.identity.uid == "ada")
            #expect(foreign.label == "token of https://securetoken.google.com/demo")
            #expect(try service.proof(service.adminKey.text).identity == .admin)
            #expect(try service.proof(service.adminKey.text).label == "admin key ci")
            #expect(try service.proof(AccessFixture.secret).identity == .admin)
            #expect(try service.proof("short but sixteen").identity == .admin)
        }
    }

    @Test("A service does not accept the proofs of an emulator")
    func noEmulator() throws {
        #expect(throws: AccessError.badToken(.malformed)) { try service.proof("owner") }
        #expect(throws: AccessError.badToken(.malformed)) { try service.proof("") }
        let unsigned = Forge.token(header: #"{"alg":"none"}"#, payload: #"{"sub":"ada"}"#)
        #expect(throws: AccessError.badToken(.badAlgorithm)) { try service.proof(unsigned) }
        let other = Forge.token(header: #"{"alg":"RS256","kid":"rsa"}"#, payload: #"{"iss":"x","sub":"ada"}"#)
        #expect(throws: AccessError.badToken(.wrongIssuer)) { try service.proof(other) }
        #expect(throws: AccessError.badToken(.tooLong)) { try service.proof(String(repeating: "a", count: 20_000)) }
    }

    @Test("A token in the cache expires at its usual time, and so does an admin key")
    func cachedExpiry() throws {
        let token = try service.authority.issue(["sub": "ada"], lifetimeSeconds: 600)
        #expect(throws: Never.self) { try service.proof(token) }
        service.clock.advance(seconds: 659)
        #expect(throws: Never.self) { try service.proof(token) }
        service.clock.advance(seconds: 1)
        #expect(throws: AccessError.expired) { try service.proof(token) }
        #expect(throws: Never.self) { try service.proof(service.adminKey.text) }
        service.clock.advance(seconds: 340)
        #expect(throws: AccessError.expired) { try service.proof(service.adminKey.text) }
    }

    @Test("A change takes effect at once, also for tokens in the cache")
    func invalidation() throws {
        let token = try service.authority.issue(["sub": "ada"])
        let admin = try service.proof(service.adminKey.text)
        let proof = try service.proof(token)
        service.revocations.revoke(uid: "ada", before: service.clock.now.seconds)
        #expect(throws: Never.self) { try service.proof(token) }
        service.revocations.revoke(uid: "ada", before: service.clock.now.seconds + 1)
        #expect(throws: AccessError.revoked) { try service.proof(token) }
        #expect(throws: AccessError.revoked) { try service.control.recheck(proof) }
        service.clock.advance(seconds: 1)
        let next = try service.authority.issue(["sub": "ada"])
        #expect(throws: Never.self) { try service.proof(next) }
        service.revocations.setDisabled(true, uid: "ada")
        #expect(throws: AccessError.revoked) { try service.proof(next) }
        service.revocations.setDisabled(false, uid: "ada")
        #expect(throws: Never.self) { try service.proof(next) }

        service.authority.replaceKeys(try KeyRing(now: service.clock.now))
        #expect(throws: AccessError.badToken(.unknownKey)) { try service.proof(next) }
        var settings = service.settings
        settings.adminKeys = []
        service.control.replaceSettings(settings)
        #expect(throws: AccessError.badToken(.malformed)) { try service.proof(service.adminKey.text) }
        #expect(throws: AccessError.revoked) { try service.control.recheck(admin) }
    }

    @Test("An open connection is authorized until its proof expires")
    func recheck() throws {
        let proof = try service.proof(try service.authority.issue(["sub": "ada"], lifetimeSeconds: 600))
        service.clock.advance(seconds: 599)
        #expect(throws: Never.self) { try service.control.recheck(proof) }
        service.clock.advance(seconds: 1)
        #expect(throws: AccessError.expired) { try service.control.recheck(proof) }
    }

    @Test("Only an owner may act as another user")
    func override() throws {
        let admin = service.adminKey.text
        #expect(try service.proof(admin, override: "null").identity == .anonymous)
        let auth: JSONValue = ["uid": "bob", "token": ["admin": true]]
        let identity = try service.proof(admin, override: #"{"uid":"bob","token":{"admin":true}}"#).identity
        #expect(identity == .user(User(uid: "bob", auth: auth, expiresAt: service.clock.now + .seconds(1000))))
        #expect(try service.proof(admin, override: #"{"x":1}"#).identity.uid == nil)
        for text in ["", "1", "[]", "{", "true", #"{"uid":"a","uid":"b"}"#, String(repeating: "[", count: 100_000)] {
            #expect(throws: AccessError.badOverride) { try service.proof(admin, override: text) }
        }
        let token = try service.authority.issue(["sub": "ada"])
        #expect(throws: AccessError.denied) { try service.proof(token, override: "null") }
        #expect(try service.proof(admin, actingFor: "bob").identity.uid == "bob")
        #expect(try service.proof(token, actingFor: "ada").identity.uid == "ada")
        #expect(throws: AccessError.denied) { try service.proof(token, actingFor: "bob") }
        #expect(throws: AccessError.denied) { try service.proof(admin, actingFor: "") }
        service.revocations.setDisabled(true, uid: "bob")
        let acting = try service.proof(admin, actingFor: "bob")
        #expect(acting.isOwnerActing)
        #expect(throws: Never.self) { try service.control.recheck(acting) }
    }

    @Test("An issuer with the same name as the service is trusted beside it")
    func sameProject() throws {
        let demo = try AccessFixture(issuers: [.firebase(project: "tintype")])
        let own = try demo.authority.issue(["sub": "ada"])
        #expect(try demo.proof(own).kind == .token)
        let key = try SigningKey(pem: Secret(Foreign.privateKey))
        let claims = JSONValue.object(Forge.claims(project: "tintype")).text
        let foreign = try Forge.token(
            header: #"{"alg":"RS256","kid":"rsa"}"#, payload: String(decoding: claims, as: UTF8.self),
            sign: key.signature)
        #expect(try demo.proof(foreign).kind == .foreignToken(issuer: "https://securetoken.google.com/tintype"))
    }

    @Test("Newer keys are fetched when a token names an unknown key")
    func unknownKey() async throws {
        let token = try Forge.foreign(header: #"{"alg":"RS256","kid":"new"}"#)
        let error = AccessError.unknownKey(issuer: "https://securetoken.google.com/demo")
        #expect(throws: error) { try service.proof(token) }
        #expect(await service.control.refreshKeys(after: error))
        let stranger = AccessError.unknownKey(issuer: "https://id.example.com")
        #expect(await service.control.refreshKeys(after: stranger) == false)
        #expect(await service.control.refreshKeys(after: .expired) == false)
    }

    // MARK: The Unix socket

    @Test("Only the service's own user, its group and root are the owner")
    func ownUser() throws {
        for user: UInt32 in [1000, 0, 1001] { #expect(try service.proof(ofUser: user).identity == .admin) }
        #expect(try service.proof(ofUser: 1002, group: 100).identity == .admin)
        #expect(throws: AccessError.denied) { try service.proof(ofUser: 1002) }
        #expect(try service.proof(ofUser: 1000, actingFor: "ada").identity.uid == "ada")
    }

    @Test("A setting names the users for whom others may act")
    func peers() throws {
        let service = try AccessFixture(peers: "1002=ada, 1001=bob,@50=any,@51=eve,0=ada,1000=ada")
        #expect(try service.proof(ofUser: 1002).identity.uid == "ada")
        #expect(try service.proof(ofUser: 1001).identity.uid == "bob", "a user comes before his groups")
        #expect(try service.proof(ofUser: 7, group: 50).identity == .admin)
        #expect(try service.proof(ofUser: 7, group: 51).identity.uid == "eve")
        #expect(throws: AccessError.denied) { try service.proof(ofUser: 7) }
        #expect(try service.proof(ofUser: 0).identity == .admin)
        #expect(try service.proof(ofUser: 1000).identity == .admin)
        #expect(try service.proof(ofUser: 1002, actingFor: "ada").identity.uid == "ada")
        #expect(throws: AccessError.denied) { try service.proof(ofUser: 1002, actingFor: "bob") }
        service.revocations.setDisabled(true, uid: "ada")
        #expect(throws: AccessError.revoked) { try service.proof(ofUser: 1002) }
    }

    @Test(
        "A malformed setting is refused",
        arguments: ["x", "=any", "1002=", "1002=a,1002=b", "no-such-user=any", "@no-such-group=any", "1002"])
    func badPeers(text: String) {
        #expect(throws: KeyError.self) { try PeerPolicy(text) }
    }

    @Test("The system's database has the ids and groups of users")
    func systemAccounts() throws {
        #expect(SystemAccounts.userID(named: "root") == 0)
        #expect(SystemAccounts.groupID(named: "root") == 0)
        #expect(SystemAccounts().groups(ofUser: 0).contains(0))
        #expect(SystemAccounts().groups(ofUser: 4_000_000_000).isEmpty)
        #expect(throws: Never.self) { try PeerPolicy("root=ada,@root=any") }
    }

    @Test("A token proves its user also over the Unix socket")
    func tokenOverSocket() throws {
        let peer = PeerCredentials(userID: 7, groupID: 7, processID: 1)
        let token = try service.authority.issue(["sub": "ada"])
        #expect(try service.control.identity(for: Credentials(peer: .local(peer), token: token)).uid == "ada")
        #expect(throws: AccessError.badToken(.malformed)) {
            try service.control.identity(for: Credentials(peer: .local(peer), token: "owner"))
        }
    }
}

@Suite("An emulator")
struct EmulatorTests {
    private let service: AccessFixture

    init() throws { service = try AccessFixture(isEmulator: true) }

    @Test("It accepts the owner's token, except from pages of other machines")
    func owner() throws {
        #expect(try service.proof("owner").identity == .admin)
        let foreign = Credentials(peer: .network(address: "127.0.0.1"), token: "owner", isFromForeignPage: true)
        #expect(try service.control.identity(for: foreign) == .anonymous)
    }

    @Test("It accepts unsigned and expired tokens", arguments: ["typ", "type"])
    func unsigned(header: String) throws {
        let payload =
            #"{"iss":"x","aud":"demo","iat":0,"exp":3600,"auth_time":0,"sub":"ada","user_id":"ada","#
            + #""firebase":{"sign_in_provider":"custom","identities":{}},"admin":true}"#
        let token = Forge.token(header: #"{"alg":"none","\#(header)":"JWT"}"#, payload: payload)
        let proof = try service.proof(token)
        #expect(proof.identity.uid == "ada")
        #expect(proof.expiresAt == nil)
        guard case .user(let user) = proof.identity else { return }
        #expect(user.auth["token"]?["admin"] == true)
        service.revocations.revoke(uid: "ada", before: service.clock.now.seconds)
        #expect(throws: Never.self) { try service.proof(token) }
    }

    @Test("It verifies tokens of its known issuers, and accepts those of all others")
    func issuers() throws {
        let own = try service.authority.issue(["sub": "ada"])
        #expect(try service.proof(own).kind == .token)
        #expect(throws: AccessError.badToken(.badSignature)) { try service.proof(String(own.dropLast(4)) + "AAAA") }
        #expect(try service.proof(Foreign.oidcRS256).kind == .emulator)
        for text in ["nonsense", "a.b", "e30.e30.", ".."] {
            #expect(throws: AccessError.self) { try service.proof(text) }
        }
        let signed = Forge.token(header: #"{"alg":"none"}"#, payload: #"{"sub":"ada"}"#) + "AAAA"
        #expect(throws: AccessError.badToken(.badAlgorithm)) { try service.proof(signed) }
    }
}
