import Model
import PasskeySupport
import Testing
import Tree
import TreeModel

@testable import Accounts

/// Passkeys, by the protocol of Firebase's SDKs.
@Suite(.timeLimit(.minutes(20))) struct PasskeyTests {
    typealias Statement = SoftwareAuthenticator.Statement

    @Test("A person adds a passkey, signs in with it, sees it and removes it")
    func wholeLife() async throws {
        try await withPasskeys { fixture in
            let app = try await fixture.signUp()
            let device = try SoftwareAuthenticator()
            let options = try await fixture.creation(app)
            #expect(options["rp"]?["id"] == "photos.example")
            #expect(options["user"]?["id"]?.string.flatMap(PasskeyText.bytes) == Array(app.uid.utf8))
            let added = try await fixture.add(device, to: app, name: "Phone")
            #expect(added.uid == app.uid)
            #expect(try fixture.claims(added)["firebase"]?["sign_in_provider"] == "passkey")
            let passkeys = try await fixture.me(added)["passkeyInfo"]
            #expect(passkeys == [["credentialId": .string(device.textID), "name": "Phone"]])
            fixture.clock.advance(seconds: 60)
            let signedIn = SignedInApp(try await fixture.signIn(device, counter: 0))
            #expect(signedIn.uid == app.uid)
            #expect(signedIn.answer.names == ["expiresIn", "idToken", "localId", "refreshToken"])
            #expect(try fixture.claims(signedIn)["firebase"]?["sign_in_provider"] == "passkey")
            #expect(await fixture.refresh(signedIn.refreshToken) == "done")
            #expect(await fixture.refresh(app.refreshToken) == "done", "the other device stays signed in")
            let removal: JSONValue = [
                "idToken": .string(signedIn.idToken), "deletePasskey": [.string(device.textID)],
            ]
            #expect(await fixture.refusal(.update, removal) == "done")
            #expect(await fixture.refusal(.update, removal) == "PASSKEY_ENROLLMENT_NOT_FOUND")
            #expect(try await fixture.me(signedIn)["passkeyInfo"] == nil)
            try await #expect(fixture.refusedSignIn(device) == "PASSKEY_ENROLLMENT_NOT_FOUND")
            #expect(try await fixture.tree.get(AccountNodes.passkey()) == nil)
        }
    }

    /// A change of a sound statement, and the refusal.
    struct Row: Sendable {
        let name: String
        let refusal: String
        let change: @Sendable (inout Statement) -> Void

        init(_ name: String, _ change: @escaping @Sendable (inout Statement) -> Void, _ refusal: String) {
            (self.name, self.change, self.refusal) = (name, change, refusal)
        }
    }

    /// Changes that both ceremonies refuse.
    static let common: [Row] = [
        Row("another origin", { $0.origin = "https://photos.example.org" }, "it is from another origin"),
        Row("a subdomain", { $0.origin = "https://a.photos.example" }, "it is from another origin"),
        Row("no encryption", { $0.origin = "http://photos.example" }, "it is from another origin"),
        Row("a port", { $0.origin = "https://photos.example:444" }, "it is from another origin"),
        Row("a frame", { $0.crossOrigin = "true" }, "it is from a frame in a page of another origin"),
        Row("an unclear frame", { $0.crossOrigin = "0" }, "it is from a frame in a page of another origin"),
        Row("another site", { $0.site = "example" }, "it is for another site"),
        Row("nobody is present", { $0.flags &= ~1 }, "the person was not verified"),
        Row("nobody is verified", { $0.flags &= ~4 }, "the person was not verified"),
        Row("another challenge", { $0.challenge = "AAAA" }, "the challenge is not known, was used, or has expired"),
        Row("no challenge", { $0.challenge = "?" }, "clientDataJSON cannot be read"),
    ]

    /// Changes that only new passkeys refuse.
    static let creations: [Row] = [
        Row("a sign-in", { $0.type = "webauthn.get" }, "it is for another purpose"),
        Row("no credential", { $0.flags = 0x05 }, "it has no credential"),
        Row("a copy of what cannot be copied", { $0.flags |= 0x10 }, unreadable),
        Row("missing extensions", { $0.flags |= 0x80 }, unreadable),
        Row("bytes behind the key", { $0.extensions = [0] }, unreadable),
        Row("RS256", { $0.algorithm = [0x39, 0x01, 0x00] }, unreadable),
        Row("a point beside the curve", { $0.point = Array(repeating: 7, count: 64) }, unreadable),
        Row("certificates of nobody", { $0.certificates = [0xA1, 0x01, 0x02] }, unreadable),
    ]
    private static let unreadable = "attestationObject cannot be read, or its key is not for ES256"

    @Test("A new passkey is refused, with the reason, if anything about it is wrong")
    func badCreations() async throws {
        try await withPasskeys { fixture in
            let app = try await fixture.signUp()
            let device = try SoftwareAuthenticator()
            for row in Self.common + Self.creations {
                var statement = Statement.creation(try await fixture.creationChallenge(app))
                row.change(&statement)
                let refusal = await fixture.refusal(
                    .finalizePasskeyEnrollment, try fixture.body(app, device.registration(statement)))
                #expect(refusal == "INVALID_AUTHENTICATOR_RESPONSE : \(row.refusal)", "\(row.name)")
            }
            #expect(try await fixture.me(app)["passkeyInfo"] == nil)
        }
    }

    @Test("Other attestations and extensions are accepted, and ignored")
    func accepted() async throws {
        let changes: [@Sendable (inout Statement) -> Void] = [
            { ($0.format, $0.certificates) = ("packed", [0xA1, 0x63, 0x61, 0x6C, 0x67, 0x26]) },
            { ($0.flags, $0.extensions) = ($0.flags | 0x80, [0xA1, 0x61, 0x61, 0xF5]) },
            { ($0.flags, $0.crossOrigin) = ($0.flags | 0x18, "false") },
        ]
        try await withPasskeys { fixture in
            let app = try await fixture.signUp()
            for change in changes {
                var statement = Statement.creation(try await fixture.creationChallenge(app))
                change(&statement)
                let body = try fixture.body(app, SoftwareAuthenticator().registration(statement))
                #expect(await fixture.refusal(.finalizePasskeyEnrollment, body) == "done")
            }
        }
    }

    /// Changes that only sign-ins refuse.
    static let signIns: [Row] = [
        Row("a new passkey", { $0.type = "webauthn.create" }, "it is for another purpose"),
        Row("a credential", { $0.flags |= 0x40 }, "authenticatorData cannot be read"),
        Row("bytes at the end", { $0.extensions = [0xA0] }, "authenticatorData cannot be read"),
        Row("an account of another person", { $0.userHandle = "AAAA" }, "it is for another account"),
        Row("the same counter", { $0.counter = 5 }, "the counter has not grown"),
        Row("no counter any more", { $0.counter = 0 }, "the counter has not grown"),
    ]

    @Test("A sign-in is refused, with the reason, if anything about it is wrong")
    func badSignIns() async throws {
        var limits = ThrottleLimits()
        limits.passwordsOfAccountFromAddress = RateLimit(burst: 100, interval: 1)
        try await withPasskeys(limits: limits) { fixture in
            let app = try await fixture.signUp()
            let device = try SoftwareAuthenticator()
            _ = try await fixture.add(device, to: app)
            _ = try await fixture.signIn(device, counter: 5)
            for row in Self.common + Self.signIns {
                var statement = Statement.assertion(try await fixture.signInChallenge(), counter: 6)
                row.change(&statement)
                let refusal = await fixture.refusedSignIn(try device.authentication(statement))
                #expect(refusal == "INVALID_AUTHENTICATOR_RESPONSE : \(row.refusal)", "\(row.name)")
            }
            let thief = try SoftwareAuthenticator(id: device.id)
            let forged = try thief.authentication(.assertion(try await fixture.signInChallenge(), counter: 6))
            let refusal = await fixture.refusedSignIn(forged)
            #expect(refusal == "INVALID_AUTHENTICATOR_RESPONSE : the signature is wrong")
            _ = try await fixture.signIn(device, counter: 6)
        }
    }

    @Test("A challenge is good once, for five minutes, for its purpose and its account")
    func challenges() async throws {
        let refusal = "INVALID_AUTHENTICATOR_RESPONSE : the challenge is not known, was used, or has expired"
        try await withPasskeys { fixture in
            let (ann, bob) = (try await fixture.signUp(), try await fixture.signUp("bob@example.com"))
            let device = try SoftwareAuthenticator()
            func adding(_ challenge: String, to app: SignedInApp) async throws -> String {
                let body = try fixture.body(app, device.registration(.creation(challenge)))
                return await fixture.refusal(.finalizePasskeyEnrollment, body)
            }
            let first = try await fixture.creationChallenge(ann)
            #expect(PasskeyText.bytes(first)?.count == 32)
            #expect(try await adding(first, to: bob) == refusal)
            #expect(try await adding(try await fixture.signInChallenge(), to: ann) == refusal)
            #expect(try await adding(first, to: ann) == "done")
            #expect(try await adding(first, to: ann) == refusal)

            let response = try device.authentication(.assertion(try await fixture.signInChallenge()))
            #expect(await fixture.refusedSignIn(response) == "done")
            #expect(await fixture.refusedSignIn(response) == refusal)
            let late = try device.authentication(.assertion(try await fixture.signInChallenge()))
            let inTime = try device.authentication(.assertion(try await fixture.signInChallenge()))
            fixture.clock.advance(seconds: 299)
            #expect(await fixture.refusedSignIn(inTime) == "done")
            fixture.clock.advance(seconds: 1)
            #expect(await fixture.refusedSignIn(late) == refusal)
        }
    }

    @Test("Challenges do not fill the memory")
    func bounded() throws {
        let challenges = PasskeyChallenges(maxCount: 10)
        let start = Timestamp(milliseconds: 1_000_000)
        let first = try challenges.make(for: .signIn, at: start)
        for index in 1...100 {
            let challenge = try challenges.make(for: .signIn, at: start + .seconds(Int64(index)))
            #expect(challenges.count <= 10)
            if index % 7 == 0 { #expect(challenges.take(challenge, for: .signIn, at: start + .seconds(Int64(index)))) }
        }
        #expect(!challenges.take(first, for: .signIn, at: start))
    }

    @Test("A passkey belongs to one account, and an account has at most 20")
    func limits() async throws {
        try await withPasskeys { fixture in
            let (ann, bob) = (try await fixture.signUp(), try await fixture.signUp("bob@example.com"))
            let device = try SoftwareAuthenticator()
            _ = try await fixture.add(device, to: ann)
            for app in [ann, bob] {
                let statement = Statement.creation(try await fixture.creationChallenge(app))
                #expect(
                    await fixture.refusal(
                        .finalizePasskeyEnrollment, try fixture.body(app, device.registration(statement)))
                        == "INVALID_AUTHENTICATOR_RESPONSE : the passkey has been added already")
            }
            for _ in 1..<Passkey.maxPerAccount { _ = try await fixture.add(try SoftwareAuthenticator(), to: ann) }
            #expect(
                await fixture.refusal(.startPasskeyEnrollment, ["idToken": .string(ann.idToken)])
                    == "OPERATION_NOT_ALLOWED : An account has at most 20 passkeys")
            #expect(try await fixture.me(ann)["passkeyInfo"]?.list.count == Passkey.maxPerAccount)
        }
    }

    @Test("A disabled account is refused; a deleted one takes its passkeys with it")
    func ended() async throws {
        try await withPasskeys { fixture in
            let app = try await fixture.signUp()
            let device = try SoftwareAuthenticator()
            _ = try await fixture.add(device, to: app)
            try await fixture.perform(.update, ["localId": .string(app.uid), "disableUser": true], by: Fixture.admin)
            try await #expect(fixture.refusedSignIn(device) == "USER_DISABLED")
            try await fixture.perform(.delete, ["localId": .string(app.uid)], by: Fixture.admin)
            try await #expect(fixture.refusedSignIn(device) == "PASSKEY_ENROLLMENT_NOT_FOUND")
            #expect(try await fixture.tree.get(AccountNodes.passkey()) == nil)
            _ = try await fixture.add(device, to: try await fixture.signUp())
        }
    }

    @Test("Adding and removing a passkey needs a recent sign-in, and membership")
    func rights() async throws {
        try await withPasskeys { fixture in
            let app = try await fixture.signUp()
            let device = try SoftwareAuthenticator()
            _ = try await fixture.add(device, to: app)
            fixture.clock.advance(seconds: 301)
            let removal: JSONValue = ["idToken": .string(app.idToken), "deletePasskey": [.string(device.textID)]]
            #expect(await fixture.refusal(.update, removal) == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
            let start: JSONValue = ["idToken": .string(app.idToken)]
            #expect(await fixture.refusal(.startPasskeyEnrollment, start) == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
            #expect(await fixture.refusal(.startPasskeyEnrollment, [:]) == "MISSING_ID_TOKEN")
        }
        try await withAccounts(settings: {
            ($0.origin, $0.signUp) = ("https://photos.example", [.anonymous])
        }) { fixture in
            let start: JSONValue = ["idToken": .string(try await fixture.signUpAnonymously().idToken)]
            #expect(await fixture.refusal(.startPasskeyEnrollment, start) == "OPERATION_NOT_ALLOWED")
        }
    }

    @Test("An unverified account loses its passkeys to the owner of the address")
    func unverified() async throws {
        try await withPasskeys { fixture in
            let app = try await fixture.signUp()
            let device = try SoftwareAuthenticator()
            _ = try await fixture.add(device, to: app)
            try await fixture.perform(.sendOobCode, ["requestType": "PASSWORD_RESET", "email": "ann@example.com"])
            await fixture.service.drain()
            let code = try #require(fixture.messages.all.last?.code)
            try await fixture.perform(
                .resetPassword, ["oobCode": .string(code), "newPassword": "mine alone"])
            try await #expect(fixture.refusedSignIn(device) == "PASSKEY_ENROLLMENT_NOT_FOUND")
        }
    }
}
