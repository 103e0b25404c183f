import Access
import Cryptography
import Testing
import TreeModel

@testable import Accounts

/// Changes and deletions of accounts by their owners.
@Suite(.timeLimit(.minutes(20))) struct UpdateTests {
    @Test("An owner changes name and picture, and gets no new tokens")
    func profile() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            fixture.clock.advance(seconds: 3000)
            let answer = try await fixture.perform(
                .update,
                ["idToken": .string(app.idToken), "displayName": "Ann", "photoUrl": "https://p.example/a"])
            #expect(
                answer.names == [
                    "displayName", "email", "emailVerified", "kind", "localId", "passwordHash", "photoUrl",
                    "providerUserInfo",
                ])
            #expect(answer["kind"] == "identitytoolkit#SetAccountInfoResponse")
            let gone = try await fixture.perform(
                .update, ["idToken": .string(app.idToken), "deleteAttribute": ["DISPLAY_NAME", "PHOTO_URL"]])
            #expect(gone["displayName"] == nil)
            #expect(gone["photoUrl"] == nil)
            #expect(await fixture.refresh(app.refreshToken) == "done")
        }
    }

    @Test("Another password signs out every other device, and gets new tokens")
    func password() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            let other = try await fixture.signIn()
            fixture.clock.advance(seconds: 10)
            let changed = SignedInApp(
                try await fixture.perform(.update, ["idToken": .string(app.idToken), "password": "open up"]))
            #expect(await fixture.refresh(other.refreshToken) == "TOKEN_EXPIRED")
            #expect(await fixture.refresh(changed.refreshToken) == "done")
            #expect(await fixture.refusal(.lookup, ["idToken": .string(other.idToken)]) == "TOKEN_EXPIRED")
            #expect(await fixture.refusal(.lookup, ["idToken": .string(changed.idToken)]) == "done")
            _ = try await fixture.signIn("ann@example.com", "open up")
            #expect(fixture.revocations.all == ["\(app.uid) before 1"])
        }
    }

    @Test("A change of the password ends the sign-ins since another change in the same second, too")
    func sameSecond() async throws {
        try await withAccounts { fixture in
            var app = try await fixture.signUp()
            for number in 0..<3 {
                let other = try await fixture.signIn("ann@example.com", number == 0 ? "sesame!" : "open \(number)")
                app = SignedInApp(
                    try await fixture.perform(
                        .update, ["idToken": .string(app.idToken), "password": "open \(number + 1)"]))
                #expect(await fixture.refusal(.lookup, ["idToken": .string(other.idToken)]) == "TOKEN_EXPIRED")
                #expect(await fixture.refresh(other.refreshToken) == "TOKEN_EXPIRED")
                #expect(await fixture.refusal(.lookup, ["idToken": .string(app.idToken)]) == "done", "\(number)")
            }
            try await fixture.perform(.delete, ["idToken": .string(app.idToken)])
            let befores = (1...4).map { "\(app.uid) before \($0)" }
            #expect(fixture.revocations.all == befores, "each is later than the tokens of the sign-ins before it")
        }
    }

    @Test("Another address is not verified, and frees the old one")
    func email() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            _ = try await fixture.signUp("bob@example.com")
            let taken: JSONValue = ["idToken": .string(app.idToken), "email": "bob@example.com"]
            #expect(await fixture.refusal(.update, taken) == "EMAIL_EXISTS")
            let changed = SignedInApp(
                try await fixture.perform(.update, ["idToken": .string(app.idToken), "email": "Eve@example.com"]))
            #expect(try await fixture.me(changed)["email"] == "eve@example.com")
            #expect(try await fixture.signIn("eve@example.com").uid == app.uid)
            let renewed = try await fixture.signUp()
            #expect(renewed.uid != app.uid)
        }
    }

    @Test("Security-relevant changes need a fresh sign-in")
    func recent() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            fixture.clock.advance(seconds: 301)
            let token = JSONValue.string(app.idToken)
            let changes: [JSONValue] = [
                ["idToken": token, "password": "open up"], ["idToken": token, "email": "eve@example.com"],
                ["idToken": token, "deleteProvider": ["password"]], ["idToken": token, "deleteAttribute": ["EMAIL"]],
            ]
            for change in changes {
                #expect(await fixture.refusal(.update, change) == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "\(change.names)")
            }
            #expect(await fixture.refusal(.delete, ["idToken": token]) == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
            #expect(try await fixture.store.count() == 1)
        }
    }

    @Test("A token that was revoked after its verification changes nothing")
    func revokedMeanwhile() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            let account = try #require(try await fixture.store.account(app.uid))
            let proof = IDTokens.Proof(account: account, claims: try fixture.claims(app))
            let changes: [(change: JSONValue, error: IdentityError)] = [
                (["validSince": "1800000000"], .tokenExpired), (["disableUser": true], .userDisabled),
            ]
            for (change, error) in changes {
                var body = change
                body["localId"] = .string(app.uid)
                try await fixture.perform(.update, body, by: Fixture.admin)
                await #expect(throws: error) {
                    _ = try await fixture.store.transact { try $0.account(provedBy: proof) }
                }
            }
        }
    }

    static let refusals: [(change: JSONValue, message: String)] = [
        (["customAttributes": "{}"], "INSUFFICIENT_PERMISSION"), (["emailVerified": true], "INSUFFICIENT_PERMISSION"),
        (["validSince": "1"], "INSUFFICIENT_PERMISSION"), (["localId": "other"], "INSUFFICIENT_PERMISSION"),
        (["linkProviderUserInfo": ["providerId": "google.com", "rawId": "1"]], "INSUFFICIENT_PERMISSION"),
        (["disableUser": true], "OPERATION_NOT_ALLOWED"), (["email": "eve"], "INVALID_EMAIL"),
        (["password": "12345"], "WEAK_PASSWORD : Password should be at least 6 characters"),
        (["deleteAttribute": ["CREATED"]], "INVALID_ARGUMENT : Invalid value of deleteAttribute"),
        (["deleteProvider": "google.com"], "INVALID_ARGUMENT : Invalid value of deleteProvider"),
        (["displayName": ["a"]], "INVALID_ARGUMENT : Invalid value of displayName"),
    ]

    @Test("An owner may not perform the operations of administrators", arguments: refusals)
    func refused(change: JSONValue, message: String) async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            var body = change
            body["idToken"] = .string(app.idToken)
            #expect(await fixture.refusal(.update, body) == message)
            body["idToken"] = .null
            let unproved = await fixture.refusal(.update, body)
            #expect(unproved == "INVALID_REQ_TYPE : Unsupported request parameters.")
        }
    }

    @Test("An invalid token is refused by every operation")
    func badTokens() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            let parts = app.idToken.split(separator: ".").map(String.init)
            let header = Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
            let tokens = [
                "x", "\(parts[0]).\(parts[1]).", "\(header).\(parts[1]).", "\(parts[0]).\(parts[1]).AAAA",
                String(repeating: "x", count: 17 << 10),
            ]
            for token in tokens {
                for operation in [IdentityOperation.lookup, .update, .delete] {
                    let refusal = await fixture.refusal(operation, ["idToken": .string(token)])
                    #expect(refusal.hasPrefix(token.count > 16 << 10 ? "INVALID_ARGUMENT" : "INVALID_ID_TOKEN"))
                }
            }
            #expect(await fixture.refusal(.lookup, [:]) == "MISSING_ID_TOKEN")
            fixture.clock.advance(seconds: 3700)
            #expect(await fixture.refusal(.lookup, ["idToken": .string(app.idToken)]) == "TOKEN_EXPIRED")
        }
    }

    @Test("An owner deletes the account, with all its data")
    func delete() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            try await fixture.perform(.sendOobCode, ["requestType": "PASSWORD_RESET", "email": "ann@example.com"])
            await fixture.service.drain()
            let answer = try await fixture.perform(.delete, ["idToken": .string(app.idToken)])
            #expect(answer == ["kind": "identitytoolkit#DeleteAccountResponse"])
            #expect(await fixture.refusal(.lookup, ["idToken": .string(app.idToken)]) == "USER_NOT_FOUND")
            #expect(await fixture.refresh(app.refreshToken) == "TOKEN_EXPIRED")
            #expect(try await fixture.store.count() == 0)
            #expect(try await fixture.leftovers == ["count", "revocations"])
            #expect(fixture.revocations.all == ["\(app.uid) before 1"])
            fixture.clock.advance(seconds: 26 * 3600)
            #expect(try await AccountSweeper(of: fixture.store).sweep() == 1)
            #expect(try await fixture.leftovers == ["count"])
        }
    }
}
