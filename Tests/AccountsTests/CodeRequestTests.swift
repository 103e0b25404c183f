import Access
import Testing
import TreeModel

@testable import Accounts

/// Requests for codes, and the requests of SDKs about an address before them.
@Suite(.timeLimit(.minutes(20))) struct CodeRequestTests {
    private static func reset(_ email: String) -> JSONValue {
        ["requestType": "PASSWORD_RESET", "email": .string(email)]
    }

    static let refusals: [(body: JSONValue, message: String)] = [
        ([:], "MISSING_REQ_TYPE"), (["requestType": "NONE"], "INVALID_REQ_TYPE"),
        (["requestType": "PASSWORD_RESET"], "MISSING_EMAIL"),
        (["requestType": "PASSWORD_RESET", "email": "ann"], "INVALID_EMAIL"),
        (["requestType": "VERIFY_EMAIL"], "MISSING_ID_TOKEN"),
        (["requestType": "VERIFY_EMAIL", "email": "ann@example.com"], "MISSING_ID_TOKEN"),
        (["requestType": "EMAIL_SIGNIN", "email": "ann"], "INVALID_EMAIL"),
        (
            ["requestType": "PASSWORD_RESET", "email": "ann@example.com", "returnOobLink": true],
            "INSUFFICIENT_PERMISSION"
        ),
        (
            ["requestType": "PASSWORD_RESET", "email": "ann@example.com", "continueUrl": "https://evil.example/"],
            "UNAUTHORIZED_DOMAIN : evil.example"
        ),
        (
            ["requestType": "PASSWORD_RESET", "email": "ann@example.com", "continueUrl": "javascript:alert(1)"],
            "INVALID_CONTINUE_URI"
        ),
        (
            [
                "requestType": "PASSWORD_RESET", "email": "ann@example.com",
                "continueUrl": "https://localhost@evil.example/",
            ],
            "INVALID_CONTINUE_URI"
        ),
    ]

    @Test("A malformed request for a code is refused", arguments: refusals)
    func refused(body: JSONValue, message: String) async throws {
        try await withAccounts { fixture in
            #expect(await fixture.refusal(.sendOobCode, body).hasPrefix(message))
            let known: JSONValue = [
                "requestType": "PASSWORD_RESET", "email": "ann@example.com",
                "continueUrl": "https://LOCALHOST:8080/a?b=c",
            ]
            #expect(await fixture.refusal(.sendOobCode, known) == "done")
        }
        try await withAccounts(hasDelivery: false) { fixture in
            #expect(await fixture.refusal(.sendOobCode, Self.reset("ann@example.com")) == "OPERATION_NOT_ALLOWED")
            let signIn: JSONValue = ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com"]
            #expect(await fixture.refusal(.sendOobCode, signIn) == "OPERATION_NOT_ALLOWED")
        }
    }

    @Test("An administrator gets the link, and no message is sent")
    func adminLink() async throws {
        try await withAccounts { fixture in
            _ = try await fixture.signUp()
            var body = Self.reset("ann@example.com")
            body["returnOobLink"] = true
            body["continueUrl"] = "https://localhost/a?b=c&d"
            let answer = try await fixture.perform(.sendOobCode, body, by: Fixture.admin)
            let (code, link) = (try #require(answer["oobCode"]?.string), try #require(answer["oobLink"]?.string))
            #expect(link.contains("oobCode=\(code)&"))
            #expect(link.hasSuffix("&continueUrl=https%3A%2F%2Flocalhost%2Fa%3Fb%3Dc%26d"))
            await fixture.service.drain()
            #expect(fixture.messages.all.isEmpty)
            body["email"] = "bob@example.com"
            #expect(await fixture.refusal(.sendOobCode, body, by: Fixture.admin) == "EMAIL_NOT_FOUND")
            let verify: JSONValue = [
                "requestType": "VERIFY_EMAIL", "email": "ann@example.com", "returnOobLink": true,
            ]
            #expect(try await fixture.perform(.sendOobCode, verify, by: Fixture.admin)["oobLink"] != nil)
        }
    }

    @Test("Only an emulator reveals the sign-in methods of an address")
    func methods() async throws {
        let body: JSONValue = ["identifier": "ann@example.com", "continueUri": "http://localhost"]
        try await withAccounts { fixture in
            _ = try await fixture.signUp()
            #expect(try await fixture.perform(.createAuthUri, body).names == ["kind", "sessionId"])
            #expect(await fixture.refusal(.createAuthUri, [:]) == "MISSING_IDENTIFIER")
            #expect(await fixture.refusal(.createAuthUri, ["identifier": "x"]) == "MISSING_CONTINUE_URI")
        }
        try await withAccounts(isEmulator: true) { fixture in
            _ = try await fixture.signUp()
            let answer = try await fixture.perform(.createAuthUri, body)
            #expect(answer["registered"] == true)
            #expect(answer["signinMethods"] == ["password"])
        }
    }
}
