import Access
import Model
import Testing
import Tree
import TreeModel

@testable import Accounts

/// Codes in e-mail messages.
@Suite(.timeLimit(.minutes(20))) struct CodeTests {
    private static func reset(_ email: String) -> JSONValue {
        ["requestType": "PASSWORD_RESET", "email": .string(email)]
    }

    @Test("An address with an account and one without get the same answer, and only one gets a message")
    func sameAnswer() async throws {
        try await withAccounts { fixture in
            _ = try await fixture.signUp()
            for email in ["ann@example.com", "bob@example.com"] {
                let answer = try await fixture.perform(.sendOobCode, Self.reset(email))
                #expect(
                    answer == ["kind": "identitytoolkit#GetOobConfirmationCodeResponse", "email": .string(email)])
            }
            await fixture.service.drain()
            #expect(fixture.messages.all.map(\.email) == ["ann@example.com"])
            let message = try #require(fixture.messages.all.first)
            #expect(message.kind == "PASSWORD_RESET")
            #expect(message.code.count == 43)
            #expect(
                message.link
                    == "https://photos.example/action?mode=resetPassword&lang=en&oobCode=\(message.code)&apiKey=any")
            #expect(message.expiresMilliseconds == fixture.clock.now.milliseconds + 3_600_000)
            let stored = try await fixture.tree.get(TreePath([], in: .accounts))
            let text = String(decoding: stored?.json() ?? [], as: UTF8.self)
            #expect(!text.contains(message.code))
        }
    }

    @Test("A message names the service, and its link has the service's language")
    func site() async throws {
        let site = AccountMessage.Site(
            name: "Fotoclub", url: "https://photos.example/", language: "de", imprint: "https://photos.example/imprint")
        try await withAccounts(site: site) { fixture in
            _ = try await fixture.signUp()
            let message = try await fixture.order(Self.reset("ann@example.com"))
            #expect(message.site == site && message.link.contains("&lang=de&"))
            let json = try #require(JSONValue(text: try message.json()))
            #expect(json["site"]?["name"] == "Fotoclub" && json["site"]?["terms"] == nil)
            #expect(json["site"]?["imprint"] == "https://photos.example/imprint")
        }
    }

    @Test("A code sets another password, once, and signs out all devices")
    func resetPassword() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            let message = try await fixture.order(Self.reset("ANN@example.com"))
            let told = try await fixture.perform(.resetPassword, ["oobCode": .string(message.code)])
            #expect(
                told == [
                    "kind": "identitytoolkit#ResetPasswordResponse", "requestType": "PASSWORD_RESET",
                    "email": "ann@example.com",
                ])
            let weak: JSONValue = ["oobCode": .string(message.code), "newPassword": "12345"]
            #expect(await fixture.refusal(.resetPassword, weak).hasPrefix("WEAK_PASSWORD"))
            let use: JSONValue = ["oobCode": .string(message.code), "newPassword": "open up"]
            #expect(try await fixture.perform(.resetPassword, use)["email"] == "ann@example.com")
            #expect(await fixture.refusal(.resetPassword, use) == "INVALID_OOB_CODE")
            #expect(await fixture.refresh(app.refreshToken) == "TOKEN_EXPIRED")
            #expect(await fixture.refusal(.lookup, ["idToken": .string(app.idToken)]) == "TOKEN_EXPIRED")
            let back = try await fixture.signIn("ann@example.com", "open up")
            #expect(try await fixture.me(back)["emailVerified"] == true, "who reads the mail has the address")
        }
    }

    @Test("One of 16 concurrent uses of a code succeeds")
    func singleUse() async throws {
        try await withAccounts { fixture in
            _ = try await fixture.signUp()
            let message = try await fixture.order(Self.reset("ann@example.com"))
            let outcomes = await withTaskGroup(of: String.self) { tasks in
                for index in 0..<16 {
                    let body: JSONValue = ["oobCode": .string(message.code), "newPassword": "open up \(index)"]
                    tasks.addTask { await fixture.refusal(.resetPassword, body) }
                }
                return await tasks.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(outcomes == ["done": 1, "INVALID_OOB_CODE": 15])
        }
    }

    @Test("A code is valid for an hour, and for its own purpose")
    func limits() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            let reset = try await fixture.order(Self.reset("ann@example.com"))
            #expect(await fixture.refusal(.update, ["oobCode": .string(reset.code)]) == "INVALID_OOB_CODE")
            let verify = try await fixture.order(["requestType": "VERIFY_EMAIL", "idToken": .string(app.idToken)])
            let misuse: JSONValue = ["oobCode": .string(verify.code), "newPassword": "open up"]
            #expect(await fixture.refusal(.resetPassword, misuse) == "INVALID_OOB_CODE")
            fixture.clock.advance(seconds: 3600)
            for code in [reset.code, verify.code, "", "x", String(repeating: "x", count: 300)] {
                let refusal = await fixture.refusal(
                    .resetPassword, ["oobCode": .string(code), "newPassword": "open up"])
                #expect(refusal == (code.isEmpty ? "MISSING_OOB_CODE" : "INVALID_OOB_CODE"))
            }
            #expect(try await AccountSweeper(of: fixture.store).sweep() == 2)
            #expect(try await fixture.leftovers == ["accounts", "count", "emails", "sessions"])
        }
    }

    @Test("An address has five codes; the next one replaces the oldest")
    func bound() async throws {
        try await withAccounts(isEmulator: true) { fixture in
            _ = try await fixture.signUp()
            var codes: [String] = []
            for _ in 0..<6 {
                codes.append(try await fixture.order(Self.reset("ann@example.com")).code)
                fixture.clock.advance(seconds: 1)
            }
            #expect(await fixture.refusal(.resetPassword, ["oobCode": .string(codes[0])]) == "INVALID_OOB_CODE")
            #expect(await fixture.refusal(.resetPassword, ["oobCode": .string(codes[1])]) == "done")
            #expect(try await fixture.tree.keys(of: AccountNodes.code()).count == 5)
        }
    }

    @Test("A code verifies an address")
    func verify() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            let message = try await fixture.order(["requestType": "VERIFY_EMAIL", "idToken": .string(app.idToken)])
            let answer = try await fixture.perform(.update, ["oobCode": .string(message.code)])
            #expect(answer["emailVerified"] == true)
            #expect(answer["idToken"] == nil, "a link that was opened signs nobody in")
            #expect(await fixture.refusal(.update, ["oobCode": .string(message.code)]) == "INVALID_OOB_CODE")
            #expect(await fixture.refresh(app.refreshToken) == "done")
        }
    }

    @Test("Another address takes effect once a code that was sent there is used")
    func changeEmail() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            let body: JSONValue = [
                "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(app.idToken),
                "newEmail": "Eve@example.com",
            ]
            let message = try await fixture.order(body)
            #expect(message.email == "eve@example.com")
            #expect(try await fixture.me(app)["email"] == "ann@example.com")
            let answer = try await fixture.perform(.update, ["oobCode": .string(message.code)])
            #expect(answer["email"] == "eve@example.com")
            #expect(answer["emailVerified"] == true)
            #expect(await fixture.refresh(app.refreshToken) == "TOKEN_EXPIRED")
            #expect(try await fixture.signIn("eve@example.com").uid == app.uid)
        }
    }

    @Test("An address with an account gets no message that offers it another one")
    func changeToTaken() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            _ = try await fixture.signUp("bob@example.com")
            let body: JSONValue = [
                "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(app.idToken),
                "newEmail": "bob@example.com",
            ]
            #expect(await fixture.refusal(.sendOobCode, body) == "done")
            await fixture.service.drain()
            #expect(fixture.messages.all.isEmpty)
        }
    }

    @Test("Codes of an address end when its account gets another one")
    func dropped() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            let message = try await fixture.order(Self.reset("ann@example.com"))
            try await fixture.perform(
                .update, ["localId": .string(app.uid), "email": "eve@example.com"], by: Fixture.admin)
            _ = try await fixture.signUp()
            #expect(await fixture.refusal(.resetPassword, ["oobCode": .string(message.code)]) == "INVALID_OOB_CODE")
        }
    }

    @Test(
        "Codes end with every change of an account's owner: another address, a new password, a provider, a lookalike",
        arguments: ["VERIFY_AND_CHANGE_EMAIL", "VERIFY_EMAIL", "PASSWORD_RESET"], OwnerChange.allCases)
    func fallen(kind: String, change: OwnerChange) async throws {
        try await withAccounts(provider: Self.believe) { fixture in
            let squatter = try await fixture.signUp()
            let message = try await fixture.order([
                "requestType": .string(kind), "idToken": .string(squatter.idToken), "email": "ann@example.com",
                "newEmail": "eve@example.com",
            ])
            try await change.happen(to: squatter, fixture)
            let code = JSONValue.string(message.code)
            #expect(await fixture.refusal(.update, ["oobCode": code]) == "INVALID_OOB_CODE")
            let reset: JSONValue = ["oobCode": code, "newPassword": "open sesame"]
            #expect(await fixture.refusal(.resetPassword, reset) == "INVALID_OOB_CODE")
        }
    }

    /// A change that can give an account to another owner.
    enum OwnerChange: CaseIterable, Sendable {
        case signsInByProvider, getsPassword, isSignedOut, isMadeAnew

        func happen(to app: SignedInApp, _ fixture: Fixture) async throws {
            switch self {
            case .signsInByProvider:
                let claims =
                    "%7B%22sub%22%3A%221%22%2C%22email%22%3A%22ann%40example.com%22%2C%22email_verified%22%3Atrue%7D"
                try await fixture.perform(
                    .signInWithIdp,
                    ["postBody": .string("id_token=\(claims)&providerId=google.com"), "requestUri": "http://localhost"])
            case .getsPassword:
                try await fixture.perform(.update, ["idToken": .string(app.idToken), "password": "open sesame"])
            case .isSignedOut:
                fixture.clock.advance(seconds: 2)
                let now = JSONValue.string("\(fixture.clock.now.seconds)")
                try await fixture.perform(
                    .update, ["localId": .string(app.uid), "validSince": now], by: Fixture.admin)
            case .isMadeAnew:
                try await fixture.perform(.delete, ["idToken": .string(app.idToken)])
                _ = try await fixture.signUp()
            }
        }
    }

    /// Accepts the JSON written by a test as the claims of a Google token.
    private static func believe(_ provider: String) -> IdentityProofs.Verification? {
        guard provider == "google.com" else { return nil }
        return { (token: String) async throws(AccessError) -> [String: JSONValue] in
            guard let claims = JSONValue(text: token.utf8)?.members else { throw .badToken(.malformed) }
            return claims
        }
    }
}
