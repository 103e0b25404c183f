import Access
import Testing
import TreeModel

@testable import Accounts

@Suite("Self-created accounts", .timeLimit(.minutes(20))) struct SelfMadeTests {
    /// Accepts every token of one provider.
    private static func believe(_ provider: String) -> IdentityProofs.Verification? {
        guard provider == "google.com" else { return nil }
        return { (_: String) async throws(AccessError) -> [String: JSONValue] in
            ["sub": "1001", "email": "google@example.com", "email_verified": true]
        }
    }

    @Test("An account from a sign-up of any kind is self-created, also after changes, until an admin imports it")
    func signedUp() async throws {
        try await withAccounts(provider: Self.believe) { fixture in
            let guest = try await fixture.signUpAnonymously()
            let message = try await fixture.order(["requestType": "EMAIL_SIGNIN", "email": "link@example.com"])
            let apps = [
                try await fixture.signUp(), guest,
                SignedInApp(
                    try await fixture.perform(
                        .signInWithEmailLink, ["email": "link@example.com", "oobCode": .string(message.code)])),
                SignedInApp(
                    try await fixture.perform(
                        .signInWithIdp,
                        [
                            "postBody": "id_token=x&providerId=google.com", "requestUri": "http://localhost",
                            "returnSecureToken": true,
                        ])),
            ]
            for (index, app) in apps.enumerated() {
                let account = try #require(try await fixture.store.account(app.uid), "\(app.answer)")
                #expect(account.isSelfMade && account.isAnonymous == (app.uid == guest.uid), "\(index)")
            }
            let named = try await fixture.perform(
                .signUp,
                ["idToken": .string(guest.idToken), "email": "guest@example.com", "password": "correct horse"])
            #expect(named["localId"] == .string(guest.uid))
            var account = try #require(try await fixture.store.account(guest.uid))
            #expect(account.isSelfMade && !account.isAnonymous)
            let imported = try await fixture.perform(
                .batchCreate, ["users": [["localId": .string(guest.uid)]], "allowOverwrite": true], by: Fixture.admin)
            #expect(imported["error"] == nil)
            account = try #require(try await fixture.store.account(guest.uid))
            #expect(!account.isSelfMade)
        }
    }

    @Test("An account from an admin or a custom token is not self-created, even after a sign-in")
    func made() async throws {
        try await withAccounts(isEmulator: true) { fixture in
            _ = try await fixture.perform(.signInWithCustomToken, ["token": #"{"uid":"custom"}"#])
            for (uid, body) in [
                ("bare", ["localId": "bare"]),
                ("ann", ["localId": "ann", "email": "ann@example.com", "password": "sesame!"]),
            ] as [(String, JSONValue)] {
                _ = try await fixture.perform(.create, body, by: Fixture.admin)
                #expect(try await fixture.store.account(uid)?.isSelfMade == false, "\(uid)")
            }
            _ = try await fixture.signIn()
            for uid in ["custom", "ann"] {
                #expect(try await fixture.store.account(uid)?.isSelfMade == false, "\(uid)")
            }
        }
    }
}
