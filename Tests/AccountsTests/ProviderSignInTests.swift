import Access
import Cryptography
import Foundation
import Testing
import TreeModel

@testable import Accounts

/// Sign-ins with identities of other providers.
@Suite(.timeLimit(.minutes(20))) struct ProviderSignInTests {
    /// Returns the request of an app with a Google token.
    private static func request(
        _ claims: JSONValue, provider: String = "google.com", nonce: String? = nil, _ others: JSONValue = [:]
    ) -> JSONValue {
        let text =
            String(decoding: claims.text, as: UTF8.self)
            .addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let nonce = nonce.map { "&nonce=\($0)" } ?? ""
        var body = others
        body["postBody"] = .string("id_token=\(text)&providerId=\(provider)\(nonce)")
        body["requestUri"] = "http://localhost"
        body["returnSecureToken"] = true
        return body
    }

    private static let ann: JSONValue = [
        "sub": "1001", "email": "Ann@example.com", "email_verified": true, "name": "Ann",
        "picture": "https://p.example/a",
    ]

    /// Accepts the JSON written by a test as the claims of one provider's token, as if they were signed.
    private static func believe(_ provider: String) -> IdentityProofs.Verification? {
        guard provider == "google.com" else { return nil }
        return { (token: String) async throws(AccessError) -> [String: JSONValue] in
            guard let claims = JSONValue(text: token.utf8)?.members else { throw .badToken(.malformed) }
            return claims
        }
    }

    @Test("A token of a provider creates an account, and finds it again")
    func signIn() async throws {
        try await withAccounts(provider: Self.believe) { fixture in
            let answer = try await fixture.perform(.signInWithIdp, Self.request(Self.ann))
            #expect(
                answer.names == [
                    "displayName", "email", "emailVerified", "expiresIn", "federatedId", "fullName", "idToken",
                    "isNewUser",
                    "kind", "localId", "oauthIdToken", "photoUrl", "providerId", "rawUserInfo", "refreshToken",
                ])
            #expect(answer["kind"] == "identitytoolkit#VerifyAssertionResponse")
            #expect(answer["federatedId"] == "https://accounts.google.com/1001")
            #expect(answer["email"] == "ann@example.com")
            #expect(answer["isNewUser"] == true)
            let info = try #require(answer["rawUserInfo"]?.string)
            #expect(JSONValue(text: info.utf8) == Self.ann)
            let app = SignedInApp(answer)
            let claims = try fixture.claims(app)
            #expect(claims["name"] == "Ann")
            #expect(claims["picture"] == "https://p.example/a")
            #expect(claims["email_verified"] == true)
            #expect(
                claims["firebase"] == [
                    "identities": ["email": ["ann@example.com"], "google.com": ["1001"]],
                    "sign_in_provider": "google.com",
                ])
            let again = try await fixture.perform(.signInWithIdp, Self.request(Self.ann))
            #expect(again["isNewUser"] == false)
            #expect(again["localId"] == answer["localId"])
            #expect(
                try await fixture.me(app)["providerUserInfo"] == [
                    [
                        "providerId": "google.com", "rawId": "1001", "federatedId": "1001", "email": "ann@example.com",
                        "displayName": "Ann", "photoUrl": "https://p.example/a",
                    ]
                ])
            #expect(try await fixture.store.count() == 1)
        }
    }

    static let refusals: [(body: JSONValue, message: String)] = [
        ([:], "INVALID_CREDENTIAL_OR_PROVIDER_ID"), (["postBody": "providerId=google.com"], "INVALID_IDP_RESPONSE"),
        (["postBody": "providerId=google.com&access_token=x"], "INVALID_IDP_RESPONSE"),
        (["postBody": "providerId=google.com&id_token=x"], "INVALID_IDP_RESPONSE"),
        (["postBody": "providerId=google.com&id_token=%zz"], "INVALID_ARGUMENT"),
        (request(ann, provider: "other.com"), "OPERATION_NOT_ALLOWED"),
        (request(["email": "ann@example.com"]), "INVALID_IDP_RESPONSE"), (request(["sub": ""]), "INVALID_IDP_RESPONSE"),
        (request(["sub": .string(String(repeating: "1", count: 257))]), "INVALID_IDP_RESPONSE"),
        (request(["sub": "1", "nonce": "n"]), "MISSING_OR_INVALID_NONCE"),
        (request(["sub": "1", "nonce": "n"], nonce: "m"), "MISSING_OR_INVALID_NONCE"),
    ]

    @Test("A credential that proves nothing is refused", arguments: refusals)
    func refused(body: JSONValue, message: String) async throws {
        try await withAccounts(provider: Self.believe) { fixture in
            #expect(await fixture.refusal(.signInWithIdp, body).hasPrefix(message))
            let count = try await fixture.store.count()
            #expect(count == 0)
        }
    }

    @Test("The nonce of a token is the app's, or its SHA-256")
    func nonce() async throws {
        try await withAccounts(provider: Self.believe) { fixture in
            let plain = Self.request(["sub": "1", "nonce": "abc"], nonce: "abc")
            #expect(await fixture.refusal(.signInWithIdp, plain) == "done")
            let digest: JSONValue = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            let hashed = Self.request(["sub": "1", "nonce": digest], nonce: "abc")
            #expect(await fixture.refusal(.signInWithIdp, hashed) == "done")
        }
    }

    @Test("Only an emulator accepts unsigned tokens")
    func unverified() async throws {
        try await withAccounts(isEmulator: true) { fixture in
            #expect(await fixture.refusal(.signInWithIdp, Self.request(Self.ann)) == "done")
            let token = "e30.\(Base64URL.encode(Self.ann.text))."
            let body: JSONValue = ["postBody": .string("id_token=\(token)&providerId=google.com")]
            let answer = try await fixture.perform(.signInWithIdp, body)
            #expect(answer["isNewUser"] == false)
        }
        try await withAccounts { fixture in
            #expect(await fixture.refusal(.signInWithIdp, Self.request(Self.ann)) == "OPERATION_NOT_ALLOWED")
        }
    }

    @Test("A verified address finds its account; credentials from before the proof are removed")
    func mergeUnproved() async throws {
        try await withAccounts(provider: Self.believe) { fixture in
            let squatter = try await fixture.signUp()
            let answer = try await fixture.perform(.signInWithIdp, Self.request(Self.ann))
            #expect(answer["localId"] == .string(squatter.uid))
            #expect(answer["isNewUser"] == false)
            let body: JSONValue = ["email": "ann@example.com", "password": "sesame!"]
            #expect(await fixture.refusal(.signInWithPassword, body) == "INVALID_LOGIN_CREDENTIALS")
            #expect(await fixture.refresh(squatter.refreshToken) == "TOKEN_EXPIRED")
            let user = try await fixture.me(SignedInApp(answer))
            #expect(user["emailVerified"] == true)
            #expect(user["passwordHash"] == nil)
            #expect(user["displayName"] == "Ann")
        }
    }

    @Test("An account with a proved address keeps its password when a provider vouches for it, too")
    func mergeProved() async throws {
        try await withAccounts(provider: Self.believe) { fixture in
            let app = try await fixture.signUp()
            try await fixture.perform(
                .update, ["localId": .string(app.uid), "emailVerified": true], by: Fixture.admin)
            let answer = try await fixture.perform(.signInWithIdp, Self.request(Self.ann))
            #expect(answer["localId"] == .string(app.uid))
            #expect(try await fixture.signIn().uid == app.uid)
            #expect(await fixture.refresh(app.refreshToken) == "done")
        }
    }

    @Test("An address that the provider does not vouch for finds no account")
    func unconfirmed() async throws {
        try await withAccounts(provider: Self.believe) { fixture in
            let app = try await fixture.signUp()
            let claims: JSONValue = ["sub": "666", "email": "ann@example.com", "email_verified": false]
            let answer = try await fixture.perform(.signInWithIdp, Self.request(claims))
            #expect(answer["needConfirmation"] == true)
            #expect(answer["verifiedProvider"] == ["password"])
            #expect(answer["idToken"] == nil)
            #expect(answer["localId"] == nil)
            #expect(answer["refreshToken"] == nil)
            #expect(try await fixture.store.account(provider: "google.com", rawID: "666") == nil)
            #expect(try await fixture.signIn().uid == app.uid)
        }
    }

    @Test("An identity is added to an account, but never to a second one")
    func link() async throws {
        try await withAccounts(provider: Self.believe) { fixture in
            let app = try await fixture.signUpAnonymously()
            let linked = SignedInApp(
                try await fixture.perform(
                    .signInWithIdp, Self.request(Self.ann, ["idToken": .string(app.idToken)])))
            #expect(linked.uid == app.uid)
            #expect(try await fixture.me(linked)["email"] == "ann@example.com")
            let other = try await fixture.signUpAnonymously()
            let body = Self.request(Self.ann, ["idToken": .string(other.idToken)])
            #expect(await fixture.refusal(.signInWithIdp, body) == "FEDERATED_USER_ID_ALREADY_LINKED")
            var kept = body
            kept["returnIdpCredential"] = true
            let answer = try await fixture.perform(.signInWithIdp, kept)
            #expect(answer["errorMessage"] == "FEDERATED_USER_ID_ALREADY_LINKED")
            #expect(answer["oauthIdToken"] != nil)
            #expect(answer["idToken"] == nil)
            _ = try await fixture.signUp("bob@example.com")
            let bob = Self.request(
                ["sub": "1002", "email": "bob@example.com", "email_verified": true], ["idToken": .string(other.idToken)]
            )
            #expect(await fixture.refusal(.signInWithIdp, bob) == "EMAIL_EXISTS")
        }
    }

    @Test("A removed identity no longer signs in to the account")
    func unlink() async throws {
        try await withAccounts(provider: Self.believe) { fixture in
            let app = try await fixture.signUp("bob@example.com")
            let linked = SignedInApp(
                try await fixture.perform(
                    .signInWithIdp, Self.request(Self.ann, ["idToken": .string(app.idToken)])))
            #expect(try await fixture.me(linked)["email"] == "bob@example.com")
            let answer = try await fixture.perform(
                .update, ["idToken": .string(linked.idToken), "deleteProvider": ["google.com"]])
            #expect(answer["providerUserInfo"]?.list.compactMap { $0["providerId"] } == ["password"])
            let again = try await fixture.perform(.signInWithIdp, Self.request(Self.ann))
            #expect(again["isNewUser"] == true)
            #expect(again["localId"] != .string(app.uid))
        }
    }

    @Test("One of 16 concurrent first sign-ins creates the account, and all sign in to it")
    func concurrency() async throws {
        try await withAccounts(provider: Self.believe) { fixture in
            let ids = try await withThrowingTaskGroup(of: String.self) { tasks in
                for _ in 0..<16 {
                    tasks.addTask {
                        SignedInApp(try await fixture.perform(.signInWithIdp, Self.request(Self.ann))).uid
                    }
                }
                return try await tasks.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
            #expect(try await fixture.store.count() == 1)
        }
    }

    @Test("A disabled account refuses the sign-in")
    func disabled() async throws {
        try await withAccounts(provider: Self.believe) { fixture in
            let answer = try await fixture.perform(.signInWithIdp, Self.request(Self.ann))
            try await fixture.perform(
                .update, ["localId": answer["localId"] ?? .null, "disableUser": true], by: Fixture.admin)
            #expect(await fixture.refusal(.signInWithIdp, Self.request(Self.ann)) == "USER_DISABLED")
        }
    }
}
