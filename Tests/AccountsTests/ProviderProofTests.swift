import Access
import Foundation
import Testing
import TreeModel

@testable import Accounts

/// Sign-ins with tokens of other issuers.
@Suite(.timeLimit(.minutes(20))) struct ProviderProofTests {
    /// Creates an issuer whose keys are fetched when a token needs them, and proofs that trust it as a provider.
    private static func makeIssuer() throws -> (authority: TokenAuthority, proofs: IdentityProofs) {
        let clock = TestClock()
        let authority = TokenAuthority(project: "other", keys: try testKeys(), now: { clock.now })
        let settings = try IssuerSettings.firebase(project: "other", keySource: .url("https://keys.example/"))
        let fetcher = KeyFetcher(fetch: { _, _ in
            let keys = JSONValue.object(authority.publicKeys.mapValues(JSONValue.string))
            return FetchedDocument(bytes: keys.text, maxAgeSeconds: 3600)
        })
        let issuers = IssuerKeys([settings], fetcher: fetcher, now: { clock.now })
        let proofs = IdentityProofs(
            customTokens: CustomTokenVerifier(accounts: [], authority: nil), issuers: issuers,
            named: ["oidc.other": authority.issuer, "google.com": "https://accounts.google.com"])
        return (authority, proofs)
    }

    private static func body(_ token: String, provider: String = "oidc.other") -> JSONValue {
        ["postBody": .string("id_token=\(token)&providerId=\(provider)"), "requestUri": "http://localhost"]
    }

    private static let claims: [String: JSONValue] = [
        "sub": "7", "user_id": "7", "email": "ann@example.com", "email_verified": true, "name": "Ann",
    ]

    @Test("A token signed by the issuer signs in to the account of its user")
    func signed() async throws {
        let (authority, proofs) = try Self.makeIssuer()
        try await withAccounts(provider: proofs.provider) { fixture in
            let token = try authority.issue(Self.claims)
            let answer = try await fixture.perform(.signInWithIdp, Self.body(token))
            #expect(answer["federatedId"] == "oidc.other/7")
            let account = try await fixture.store.account(provider: "oidc.other", rawID: "7")
            #expect(account?.email?.description == "ann@example.com")
            #expect(account?.isEmailVerified == true)
        }
    }

    @Test("A token that is unsigned, of another provider, for another app or too old is refused")
    func refused() async throws {
        let (authority, proofs) = try Self.makeIssuer()
        try await withAccounts(provider: proofs.provider) { fixture in
            let token = try authority.issue(Self.claims)
            let forged = token.split(separator: ".").prefix(2).joined(separator: ".") + ".AAAA"
            let unsigned = "eyJhbGciOiJub25lIn0." + (token.split(separator: ".").dropFirst().first ?? "") + "."
            let ours = try await fixture.signUp()
            for bad in [forged, unsigned, ours.idToken, "x"] {
                let refusal = await fixture.refusal(.signInWithIdp, Self.body(bad))
                #expect(refusal.hasPrefix("INVALID_IDP_RESPONSE"))
            }
            let asGoogle = await fixture.refusal(.signInWithIdp, Self.body(token, provider: "google.com"))
            #expect(asGoogle.hasPrefix("INVALID_IDP_RESPONSE"), "one issuer's users are not another's")
            let unknown = await fixture.refusal(.signInWithIdp, Self.body(token, provider: "apple.com"))
            #expect(unknown == "OPERATION_NOT_ALLOWED")
            #expect(try await fixture.store.count() == 1)
        }
    }

    @Test("Custom tokens signed by the service itself sign their users in")
    func customTokens() async throws {
        try await withAccounts { fixture in
            let token = try fixture.authority.issueCustomToken(uid: "u1", claims: ["role": "editor"])
            let app = SignedInApp(try await fixture.perform(.signInWithCustomToken, ["token": .string(token)]))
            #expect(try fixture.claims(app)["role"] == "editor")
            #expect(await fixture.refusal(.signInWithCustomToken, ["token": .string(app.idToken)]) != "done")
            fixture.clock.advance(seconds: 3700)
            let late = await fixture.refusal(.signInWithCustomToken, ["token": .string(token)])
            #expect(late == "INVALID_CUSTOM_TOKEN : the token has expired")
        }
    }
}
