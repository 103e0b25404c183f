import Model
import Testing
import Tree
import TreeModel

@testable import Accounts

/// Sign-ins with an address and a password.
@Suite(.timeLimit(.minutes(20))) struct PasswordSignInTests {
    @Test("A user with the password is signed in, in every spelling of the address")
    func signIn() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            fixture.clock.advance(seconds: 60)
            let answer = try await fixture.perform(
                .signInWithPassword, ["email": "ANN@example.com", "password": "sesame!", "returnSecureToken": true])
            #expect(
                answer.names == [
                    "displayName", "email", "expiresIn", "idToken", "kind", "localId", "refreshToken", "registered",
                ])
            #expect(answer["kind"] == "identitytoolkit#VerifyPasswordResponse")
            #expect(answer["registered"] == true)
            #expect(answer["localId"] == .string(app.uid))
            let user = try await fixture.me(SignedInApp(answer))
            #expect(user["lastLoginAt"] == "1800000060000")
            #expect(user["createdAt"] == "1800000000000")
            #expect(await fixture.refresh(app.refreshToken) == "done", "the other device stays signed in")
        }
    }

    static let refusals: [(body: JSONValue, message: String)] = [
        (["password": "sesame!"], "MISSING_EMAIL"), (["email": "ann@example.com"], "MISSING_PASSWORD"),
        (["email": "ann", "password": "sesame!"], "INVALID_EMAIL"),
        (["email": "ann@example.com", "password": "Sesame!"], "INVALID_LOGIN_CREDENTIALS"),
        (["email": "bob@example.com", "password": "sesame!"], "INVALID_LOGIN_CREDENTIALS"),
        (["email": "none@example.com", "password": "sesame!"], "INVALID_LOGIN_CREDENTIALS"),
        (["email": "off@example.com", "password": "wrong"], "INVALID_LOGIN_CREDENTIALS"),
        (["email": "off@example.com", "password": "sesame!"], "USER_DISABLED"),
    ]

    /// Creates the accounts for the refusals.
    private func makeAccounts(_ fixture: Fixture) async throws {
        _ = try await fixture.signUp()
        let off = try await fixture.signUp("off@example.com")
        try await fixture.perform(.update, ["localId": .string(off.uid), "disableUser": true], by: Fixture.admin)
        try await fixture.perform(.create, ["email": "none@example.com"], by: Fixture.admin)
    }

    @Test("A wrong password, an unknown address and an account without a password are refused alike")
    func refused() async throws {
        try await withAccounts { fixture in
            try await makeAccounts(fixture)
            for (body, message) in Self.refusals {
                #expect(await fixture.refusal(.signInWithPassword, body) == message, "\(body)")
            }
        }
    }

    @Test("An emulator reveals which of these it is")
    func emulator() async throws {
        try await withAccounts(isEmulator: true) { fixture in
            try await makeAccounts(fixture)
            let wrong: JSONValue = ["email": "ann@example.com", "password": "Sesame!"]
            let unknown: JSONValue = ["email": "bob@example.com", "password": "sesame!"]
            #expect(await fixture.refusal(.signInWithPassword, wrong) == "INVALID_PASSWORD")
            #expect(await fixture.refusal(.signInWithPassword, unknown) == "EMAIL_NOT_FOUND")
            try await fixture.perform(
                .updateConfig, ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": true]], by: Fixture.admin)
            #expect(await fixture.refusal(.signInWithPassword, unknown) == "INVALID_LOGIN_CREDENTIALS")
        }
    }

    @Test("An unknown address costs as many hashes as a wrong password")
    func work() async throws {
        let passwords = PasswordHasher(atATime: 1)
        try await withAccounts(passwords: passwords) { fixture in
            _ = try await fixture.signUp()
            try await fixture.perform(.create, ["email": "none@example.com"], by: Fixture.admin)
            _ = await fixture.refusal(.signInWithPassword, ["email": "x@example.com", "password": "sesame!"])
            for email in ["ann@example.com", "bob@example.com", "none@example.com"] {
                let before = passwords.count
                let body: JSONValue = ["email": .string(email), "password": "wrong password"]
                #expect(await fixture.refusal(.signInWithPassword, body) == "INVALID_LOGIN_CREDENTIALS")
                #expect(passwords.count - before == 1, "\(email)")
            }
        }
    }

    @Test("Neither the password nor a token is stored in clear")
    func nothingSecretIsStored() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            await #expect(fixture.refresh(app.refreshToken) == "done")
            let stored = try await fixture.tree.get(TreePath([], in: .accounts))
            let text = String(decoding: stored?.json() ?? [], as: UTF8.self)
            #expect(text.contains("ann@example.com"))
            #expect(!text.contains("sesame!"))
            let secret = app.refreshToken.split(separator: ".").last.map(String.init) ?? app.refreshToken
            #expect(!text.contains(secret))
            #expect(!text.contains(app.idToken))
        }
    }
}
