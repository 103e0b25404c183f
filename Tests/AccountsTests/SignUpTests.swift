import Testing
import TreeModel

@testable import Accounts

/// New accounts, and passwords for accounts that have none.
@Suite(.timeLimit(.minutes(20))) struct SignUpTests {
    @Test("An address and a password create an account, which is signed in")
    func email() async throws {
        try await withAccounts { fixture in
            let answer = try await fixture.perform(
                .signUp,
                ["email": " Ann@Example.com", "password": "sesame!", "displayName": "Ann", "returnSecureToken": true])
            #expect(
                answer.names == [
                    "displayName", "email", "expiresIn", "idToken", "kind", "localId", "refreshToken",
                ])
            #expect(answer["kind"] == "identitytoolkit#SignupNewUserResponse")
            #expect(answer["email"] == "ann@example.com")
            #expect(answer["expiresIn"] == "3600")
            #expect(answer["localId"]?.string?.count == 28)
            let user = try await fixture.me(SignedInApp(answer))
            #expect(
                user == [
                    "localId": answer["localId"] ?? .null, "email": "ann@example.com", "emailVerified": false,
                    "displayName": "Ann", "passwordHash": "UkVEQUNURUQ=", "passwordUpdatedAt": 1_800_000_000_000,
                    "createdAt": "1800000000000", "lastLoginAt": "1800000000000", "validSince": "1800000000",
                    "lastRefreshAt": "2027-01-15T08:00:00Z",
                    "providerUserInfo": [
                        [
                            "providerId": "password", "rawId": "ann@example.com", "federatedId": "ann@example.com",
                            "email": "ann@example.com", "displayName": "Ann",
                        ]
                    ],
                ])
            #expect(try await fixture.store.count() == 1)
        }
    }

    @Test("No id of a new account begins with a dash")
    func ids() throws {
        for _ in 0..<1000 { #expect(try !SignUp.newID().hasPrefix("-")) }
    }

    @Test("The ID token has the claims of Firebase's")
    func claims() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            #expect(
                JSONValue.object(try fixture.claims(app)) == [
                    "iss": "https://securetoken.google.com/demo", "aud": "demo", "sub": .string(app.uid),
                    "user_id": .string(app.uid), "iat": 1_800_000_000, "exp": 1_800_003_600, "auth_time": 1_800_000_000,
                    "email": "ann@example.com", "email_verified": false,
                    "firebase": ["identities": ["email": ["ann@example.com"]], "sign_in_provider": "password"],
                ])
            let anonymous = try await fixture.signUpAnonymously()
            #expect(
                JSONValue.object(try fixture.claims(anonymous)) == [
                    "iss": "https://securetoken.google.com/demo", "aud": "demo", "sub": .string(anonymous.uid),
                    "user_id": .string(anonymous.uid), "iat": 1_800_000_000, "exp": 1_800_003_600,
                    "auth_time": 1_800_000_000, "provider_id": "anonymous",
                    "firebase": ["identities": [:], "sign_in_provider": "anonymous"],
                ])
        }
    }

    @Test("An anonymous account has neither an address nor a hash nor a provider, as SDKs expect")
    func anonymous() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUpAnonymously()
            #expect(app.answer.names == ["expiresIn", "idToken", "kind", "localId", "refreshToken"])
            #expect(
                try await fixture.me(app).names == [
                    "createdAt", "emailVerified", "lastLoginAt", "lastRefreshAt", "localId", "validSince",
                ])
        }
    }

    static let refusals: [(body: JSONValue, message: String)] = [
        (["email": "ann@example.com"], "MISSING_PASSWORD"),
        (["email": "ann@example.com", "password": ""], "MISSING_PASSWORD"),
        (["password": "sesame!"], "MISSING_EMAIL"), (["email": "", "password": "sesame!"], "MISSING_EMAIL"),
        (["email": "ann", "password": "sesame!"], "INVALID_EMAIL"),
        (
            ["email": "ann@example.com", "password": "12345"],
            "WEAK_PASSWORD : Password should be at least 6 characters"
        ),
        (["email": "taken@example.com", "password": "sesame!"], "EMAIL_EXISTS"),
        (["email": "TAKEN@example.com ", "password": "sesame!"], "EMAIL_EXISTS"),
        (["localId": "me", "email": "ann@example.com", "password": "sesame!"], "UNEXPECTED_PARAMETER : User ID"),
        (["localId": "me"], "UNEXPECTED_PARAMETER : User ID"),
        (["email": 7, "password": "sesame!"], "INVALID_ARGUMENT : Invalid value of email"),
        (["email": "ann@example.com", "password": ["sesame!"]], "INVALID_ARGUMENT : Invalid value of password"),
        (
            ["email": "ann@example.com", "password": .string(String(repeating: "x", count: 4097))],
            "INVALID_ARGUMENT : Invalid value of password"
        ),
        (
            [
                "email": "ann@example.com", "password": "sesame!",
                "displayName": .string(String(repeating: "x", count: 1025)),
            ],
            "INVALID_ARGUMENT : Invalid value of displayName"
        ),
        (["idToken": "x", "email": "ann@example.com", "password": "sesame!"], "INVALID_ID_TOKEN"),
        ([], "INVALID_ARGUMENT"),
    ]

    @Test("A missing, invalid or taken value is refused in Firebase's words")
    func refused() async throws {
        try await withAccounts { fixture in
            _ = try await fixture.signUp("taken@example.com")
            for (body, message) in Self.refusals {
                #expect(await fixture.refusal(.signUp, body).hasPrefix(message), "\(body)")
            }
            #expect(try await fixture.store.count() == 1)
        }
    }

    @Test("The operator closes sign-ups by kind")
    func closed() async throws {
        try await withAccounts(settings: { $0.signUp = .anonymous }) { fixture in
            let body: JSONValue = ["email": "ann@example.com", "password": "sesame!"]
            #expect(await fixture.refusal(.signUp, body) == "OPERATION_NOT_ALLOWED")
            #expect(await fixture.refusal(.signUp, [:]) == "done")
        }
        try await withAccounts(settings: { $0.signUp = .email }) { fixture in
            #expect(await fixture.refusal(.signUp, ["returnSecureToken": true]) == "ADMIN_ONLY_OPERATION")
            _ = try await fixture.signUp()
        }
    }

    @Test("One of 64 concurrent sign-ups with one address creates an account")
    func concurrency() async throws {
        try await withAccounts { fixture in
            let body: JSONValue = ["email": "ann@example.com", "password": "sesame!"]
            let outcomes = await withTaskGroup(of: String.self) { tasks in
                for index in 0..<64 {
                    let caller = IdentityCaller(address: "192.0.2.\(index)")
                    tasks.addTask { await fixture.refusal(.signUp, body, by: caller) }
                }
                return await tasks.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(outcomes == ["done": 1, "EMAIL_EXISTS": 63])
            #expect(try await fixture.store.count() == 1)
            _ = try await fixture.signIn()
        }
    }

    @Test("An anonymous account that gets an address and a password keeps its id, and loses its old tokens")
    func link() async throws {
        try await withAccounts { fixture in
            let before = try await fixture.signUpAnonymously()
            fixture.clock.advance(seconds: 3000)
            let after = SignedInApp(
                try await fixture.perform(
                    .signUp, ["idToken": .string(before.idToken), "email": "ann@example.com", "password": "sesame!"]))
            #expect(after.uid == before.uid)
            #expect(try fixture.claims(after)["firebase"]?["sign_in_provider"] == "password")
            #expect(try fixture.claims(after)["provider_id"] == nil)
            #expect(try await fixture.me(after)["email"] == "ann@example.com")
            #expect(await fixture.refusal(.lookup, ["idToken": .string(before.idToken)]) == "TOKEN_EXPIRED")
            #expect(await fixture.refresh(before.refreshToken) == "TOKEN_EXPIRED")
            #expect(try await fixture.signIn().uid == before.uid)
            #expect(try await fixture.store.count() == 1)
        }
    }

    @Test("An account does not get another password this way with an old token")
    func linkIsNoWayIn() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            _ = try await fixture.signUp("bob@example.com")
            let body: JSONValue = ["idToken": .string(app.idToken), "email": "bob@example.com", "password": "sesame!"]
            #expect(await fixture.refusal(.signUp, body) == "EMAIL_EXISTS")
            fixture.clock.advance(seconds: 301)
            let other: JSONValue = ["idToken": .string(app.idToken), "email": "eve@example.com", "password": "sesame!"]
            #expect(await fixture.refusal(.signUp, other) == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
        }
    }
}
