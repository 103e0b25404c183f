import Access
import Cryptography
import Testing
import TreeModel

@testable import Accounts

/// Sign-ins with custom tokens, and additional claims of tokens.
@Suite(.timeLimit(.minutes(20))) struct CustomTokenTests {
    @Test("A custom token creates an account with its id, and its claims last as long as the session")
    func signIn() async throws {
        try await withAccounts(isEmulator: true) { fixture in
            let body: JSONValue = [
                "token": #"{"uid":"u1","claims":{"role":"editor","level":3}}"#, "returnSecureToken": true,
            ]
            let answer = try await fixture.perform(.signInWithCustomToken, body)
            #expect(answer.names == ["expiresIn", "idToken", "isNewUser", "kind", "refreshToken"])
            #expect(answer["kind"] == "identitytoolkit#VerifyCustomTokenResponse")
            #expect(answer["isNewUser"] == true)
            let app = SignedInApp(answer)
            let claims = try fixture.claims(app)
            #expect(claims["sub"] == "u1")
            #expect(claims["role"] == "editor")
            #expect(claims["level"] == 3)
            #expect(claims["firebase"]?["sign_in_provider"] == "custom")
            let refreshed = try await fixture.perform(
                .token, ["grant_type": "refresh_token", "refresh_token": .string(app.refreshToken)])
            #expect(try fixture.authority.verify(refreshed["id_token"]?.string ?? "")["role"] == "editor")
            #expect(try await fixture.perform(.signInWithCustomToken, body)["isNewUser"] == false)
        }
    }

    @Test("Claims of a custom token outlive a change of the address")
    func update() async throws {
        try await withAccounts(isEmulator: true) { fixture in
            let app = SignedInApp(
                try await fixture.perform(
                    .signInWithCustomToken, ["token": #"{"uid":"u1","claims":{"role":"editor"}}"#]))
            let changed = try await fixture.perform(
                .update, ["idToken": .string(app.idToken), "email": "ann@example.com"])
            let claims = try fixture.claims(SignedInApp(changed))
            #expect(claims["role"] == "editor")
            #expect(claims["email"] == "ann@example.com")
            #expect(claims["firebase"]?["sign_in_provider"] == "custom")
        }
    }

    @Test("Claims of an account are in its tokens, and never replace those of the service")
    func claims() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            let text = #"{"admin":true,"email":"root@example.com","email_verified":true,"user_id":"root"}"#
            try await fixture.perform(
                .update, ["localId": .string(app.uid), "customAttributes": .string(text)], by: Fixture.admin)
            let claims = try fixture.claims(try await fixture.signIn())
            #expect(claims["admin"] == true)
            #expect(claims["email"] == "ann@example.com")
            #expect(claims["email_verified"] == false)
            #expect(claims["user_id"] == .string(app.uid))
            try await fixture.perform(
                .update, ["localId": .string(app.uid), "customAttributes": "{}"], by: Fixture.admin)
            #expect(try fixture.claims(try await fixture.signIn())["admin"] == nil)
        }
    }

    @Test("Claims removed by an administrator do not return by way of an old ID token")
    func claimsTakenAway() async throws {
        try await withAccounts { fixture in
            let uid = JSONValue.string(try await fixture.signUp().uid)
            try await fixture.perform(
                .update, ["localId": uid, "customAttributes": #"{"admin":true}"#], by: Fixture.admin)
            let app = try await fixture.signIn()
            #expect(try fixture.claims(app)["admin"] == true)
            try await fixture.perform(.update, ["localId": uid, "customAttributes": "{}"], by: Fixture.admin)
            let changes: [JSONValue] = [["password": "open up"], ["email": "eve@example.com"]]
            var token = app.idToken
            for change in changes {
                var body = change
                body["idToken"] = .string(token)
                let changed = SignedInApp(try await fixture.perform(.update, body))
                #expect(try fixture.claims(changed)["admin"] == nil)
                token = changed.idToken
            }
        }
    }

    static let badClaims: [(text: String, message: String)] = [
        ("x", "INVALID_CLAIMS"), ("[]", "INVALID_CLAIMS"), (#"{"a":1,"a":2}"#, "INVALID_CLAIMS"),
        (#"{"sub":"root"}"#, "FORBIDDEN_CLAIM : sub"), (#"{"firebase":{}}"#, "FORBIDDEN_CLAIM : firebase"),
        (#"{"auth_time":1}"#, "FORBIDDEN_CLAIM : auth_time"),
        (#"{"a":""# + String(repeating: "x", count: 993) + #""}"#, "CLAIMS_TOO_LARGE"),
    ]

    @Test("Claims that are too many or reserved are refused", arguments: badClaims)
    func refusedClaims(text: String, message: String) async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUpAnonymously()
            let body: JSONValue = ["localId": .string(app.uid), "customAttributes": .string(text)]
            #expect(await fixture.refusal(.update, body, by: Fixture.admin) == message)
        }
    }

    static let badTokens = [
        "", "x", "a.b.c", "{}", #"{"uid":7}"#, #"{"uid":""}"#, #"{"uid":"a/b"}"#, #"{"uid":"u","claims":{"sub":"x"}}"#,
        #"{"uid":"u","claims":[]}"#,
    ]

    @Test("A malformed custom token is refused", arguments: badTokens)
    func refused(token: String) async throws {
        try await withAccounts(isEmulator: true) { fixture in
            #expect(await fixture.refusal(.signInWithCustomToken, ["token": .string(token)]) != "done")
            let count = try await fixture.store.count()
            #expect(count == 0)
        }
    }

    @Test("Without the emulator, an unsigned token is refused")
    func unsigned() async throws {
        try await withAccounts { fixture in
            for token in [#"{"uid":"u1"}"#, "e30.\(Base64URL.encode(Array(#"{"uid":"u1"}"#.utf8)))."] {
                let refusal = await fixture.refusal(.signInWithCustomToken, ["token": .string(token)])
                #expect(refusal.hasPrefix("INVALID_CUSTOM_TOKEN"))
            }
        }
    }
}
