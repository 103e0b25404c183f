import Testing
import TreeModel

@testable import Accounts

@Suite("Sign-in by a link in a message", .timeLimit(.minutes(20))) struct EmailLinkTests {
    @Test("A code signs in, and removes the address from an account that never proved it")
    func emailLink() async throws {
        try await withAccounts { fixture in
            let squatter = try await fixture.signUp()
            let order: JSONValue = ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com"]
            let message = try await fixture.order(order)
            let told = try await fixture.perform(.resetPassword, ["oobCode": .string(message.code)])
            #expect(told["email"] == nil, "the code alone does not tell the address")
            let wrong: JSONValue = ["email": "bob@example.com", "oobCode": .string(message.code)]
            #expect(await fixture.refusal(.signInWithEmailLink, wrong) == "INVALID_EMAIL")
            let use: JSONValue = ["email": "ann@example.com", "oobCode": .string(message.code)]
            let answer = try await fixture.perform(.signInWithEmailLink, use)
            #expect(answer["isNewUser"] == false)
            #expect(answer["localId"] == .string(squatter.uid))
            #expect(await fixture.refresh(squatter.refreshToken) == "TOKEN_EXPIRED")
            #expect(await fixture.refusal(.signInWithEmailLink, use) == "INVALID_OOB_CODE")
            #expect(try await fixture.me(SignedInApp(answer))["emailVerified"] == true)
            let other = try await fixture.order(["requestType": "EMAIL_SIGNIN", "email": "new@example.com"])
            let new = try await fixture.perform(
                .signInWithEmailLink, ["email": "new@example.com", "oobCode": .string(other.code)])
            #expect(new["isNewUser"] == true)
        }
    }

    @Test("A code creates no account where sign-ups with an address are closed")
    func emailLinkWithoutSignUp() async throws {
        try await withAccounts(settings: { $0.signUp = .anonymous }) { fixture in
            let message = try await fixture.order(["requestType": "EMAIL_SIGNIN", "email": "new@example.com"])
            let use: JSONValue = ["email": "new@example.com", "oobCode": .string(message.code)]
            #expect(await fixture.refusal(.signInWithEmailLink, use) == "OPERATION_NOT_ALLOWED")
        }
    }

    @Test(
        "A link for sign-in leads to the app's own page, with the code",
        arguments: [
            ("https://localhost/in", "https://localhost/in?mode=signIn&", ""),
            ("https://localhost/in?a=b#part", "https://localhost/in?a=b&mode=signIn&", "#part"),
        ])
    func emailLinkPage(page: String, beginning: String, end: String) async throws {
        try await withAccounts { fixture in
            let body: JSONValue = [
                "requestType": "EMAIL_SIGNIN", "email": "ann@example.com", "continueUrl": .string(page),
            ]
            let message = try await fixture.order(body)
            #expect(message.link.hasPrefix(beginning), "\(message.link)")
            #expect(message.link.hasSuffix(end), "\(message.link)")
            #expect(message.link.contains("oobCode=\(message.code)&"), "\(message.link)")
        }
    }

    @Test("A code changes the address of an account only with a fresh token, and signs other devices out")
    func emailLinkToAccount() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            let message = try await fixture.order(["requestType": "EMAIL_SIGNIN", "email": "eve@example.com"])
            var body: JSONValue = [
                "email": "eve@example.com", "oobCode": .string(message.code), "idToken": .string(app.idToken),
            ]
            fixture.clock.advance(seconds: 301)
            #expect(await fixture.refusal(.signInWithEmailLink, body) == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
            body["idToken"] = .string(try await fixture.signIn().idToken)
            let linked = SignedInApp(try await fixture.perform(.signInWithEmailLink, body))
            #expect(linked.uid == app.uid)
            #expect(try await fixture.me(linked)["email"] == "eve@example.com")
            #expect(await fixture.refresh(app.refreshToken) == "TOKEN_EXPIRED")
        }
    }
}

extension Fixture {
    /// Requests a code and waits for its message.
    ///
    /// - Returns: The message with the code.
    func order(_ body: JSONValue) async throws -> AccountMessage {
        try await perform(.sendOobCode, body)
        await service.drain()
        guard let message = messages.all.last else { throw MissingMember(name: "message") }
        return message
    }
}
