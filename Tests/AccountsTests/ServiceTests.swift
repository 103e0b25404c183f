import Access
import Model
import Testing
import Tree
import TreeModel

@testable import Accounts

/// The names of operations, the form of errors, the keys, and the additions of an emulator.
@Suite(.timeLimit(.minutes(20))) struct ServiceTests {
    static let names: [(older: String, newer: String, operation: IdentityOperation)] = [
        ("signupNewUser", "signUp", .signUp), ("verifyPassword", "signInWithPassword", .signInWithPassword),
        ("verifyCustomToken", "signInWithCustomToken", .signInWithCustomToken),
        ("verifyAssertion", "signInWithIdp", .signInWithIdp), ("getAccountInfo", "lookup", .lookup),
        ("setAccountInfo", "update", .update), ("deleteAccount", "delete", .delete),
        ("createAuthUri", "createAuthUri", .createAuthUri), ("getOobConfirmationCode", "sendOobCode", .sendOobCode),
        ("resetPassword", "resetPassword", .resetPassword),
        ("emailLinkSignin", "signInWithEmailLink", .signInWithEmailLink),
    ]

    @Test("Both spellings of an operation are accepted", arguments: names)
    func operations(older: String, newer: String, operation: IdentityOperation) {
        #expect(IdentityOperation(olderName: older) == operation)
        #expect(IdentityOperation(clientName: newer) == operation)
    }

    @Test("Apps cannot reach the operations of administrators and emulators")
    func closedNames() {
        #expect(IdentityOperation(olderName: "getProjectConfig") == .project)
        for operation in IdentityOperation.allCases where operation.isOfAdmins {
            #expect(IdentityOperation(clientName: operation.rawValue) == nil)
            #expect(IdentityOperation(olderName: operation.rawValue) == nil)
        }
        for name in ["", "create", "token", "deleteAll", "signup", "x"] {
            #expect(IdentityOperation(clientName: name) == nil)
        }
        #expect(IdentityOperation(adminName: "") == .create)
        #expect(IdentityOperation(adminName: "batchGet") == .batchGet)
        for name in ["create", "signUp", "deleteAll", "config"] { #expect(IdentityOperation(adminName: name) == nil) }
    }

    @Test("Errors have the form that SDKs read; those of the service itself have none")
    func errors() {
        #expect(
            IdentityError.emailExists.document == [
                "error": [
                    "code": 400, "message": "EMAIL_EXISTS",
                    "errors": [["message": "EMAIL_EXISTS", "reason": "invalid", "domain": "global"]],
                ]
            ])
        let slow = IdentityError.tooManyAttempts(retryAfterSeconds: 7)
        #expect(slow.code == "TOO_MANY_ATTEMPTS_TRY_LATER")
        #expect(slow.document?["error"]?["code"] == 429)
        #expect(
            IdentityError.insufficientPermission.document?["error"]?["errors"]?.list.first?["reason"] == "forbidden")
        #expect(IdentityError.unavailable(reason: "the disk").document == nil)
    }

    @Test("A body that is not an object is refused by every operation")
    func bodies() async throws {
        try await withAccounts(isEmulator: true) { fixture in
            for operation in IdentityOperation.allCases {
                for body: JSONValue in [.null, [], "x", 7] {
                    let refusal = await fixture.refusal(operation, body, by: Fixture.admin)
                    #expect(refusal.hasPrefix("INVALID_ARGUMENT"), "\(operation)")
                }
            }
        }
    }

    @Test("Fields of any type do not break an operation")
    func types() async throws {
        let values: [JSONValue] = [
            .null, true, -1, .double(1.5), "", "x", [], [[:]], [:], ["a": [1]], .integer(.max), .integer(.min),
        ]
        let names = [
            "idToken", "email", "password", "localId", "localIds", "users", "token", "postBody", "requestUri",
            "oobCode",
            "newPassword", "requestType", "newEmail", "continueUrl", "identifier", "deleteAttribute", "validSince",
            "customAttributes", "maxResults", "nextPageToken", "offset", "limit", "expression", "federatedUserId",
            "linkProviderUserInfo", "signIn", "emailPrivacyConfig", "sessionId", "grant_type", "returnOobLink",
        ]
        try await withAccounts(isEmulator: true) { fixture in
            for operation in IdentityOperation.allCases {
                for name in names {
                    for value in values {
                        let body: JSONValue = .object([name: value])
                        let refusal = await fixture.refusal(operation, body, by: Fixture.admin)
                        #expect(refusal != "the service is busy", "\(operation) \(body)")
                    }
                }
            }
        }
    }

    @Test("An app learns the project's name and domains")
    func project() async throws {
        try await withAccounts { fixture in
            let answer = try await fixture.perform(.project, [:])
            #expect(answer == ["projectId": "demo", "authorizedDomains": ["localhost"]])
        }
    }

    @Test("An emulator shows its codes, its settings, and deletes all accounts")
    func emulator() async throws {
        try await withAccounts(isEmulator: true, hasDelivery: false) { fixture in
            _ = try await fixture.signUp()
            try await fixture.perform(.sendOobCode, ["requestType": "PASSWORD_RESET", "email": "ann@example.com"])
            let codes = try await fixture.perform(.oobCodes, [:], by: Fixture.admin)["oobCodes"]?.list
            #expect(codes?.count == 1)
            #expect(codes?.first?.names == ["email", "oobCode", "oobLink", "requestType"])
            let unknown: JSONValue = ["requestType": "PASSWORD_RESET", "email": "bob@example.com"]
            #expect(await fixture.refusal(.sendOobCode, unknown) == "EMAIL_NOT_FOUND")
            let config = try await fixture.perform(.config, [:], by: Fixture.admin)
            #expect(
                config == [
                    "signIn": ["allowDuplicateEmails": false],
                    "emailPrivacyConfig": ["enableImprovedEmailPrivacy": false],
                ])
            let several: JSONValue = ["signIn": ["allowDuplicateEmails": true]]
            #expect(await fixture.refusal(.updateConfig, several, by: Fixture.admin) == "OPERATION_NOT_ALLOWED")
            #expect(try await fixture.perform(.deleteAll, [:], by: Fixture.admin) == [:])
            #expect(try await fixture.store.count() == 0)
            #expect(try await fixture.perform(.oobCodes, [:], by: Fixture.admin) == ["oobCodes": []])
        }
    }

    @Test("An emulator creates session cookies from ID tokens")
    func sessionCookies() async throws {
        try await withAccounts(isEmulator: true) { fixture in
            let app = try await fixture.signUp()
            let body: JSONValue = ["idToken": .string(app.idToken), "validDuration": "3600"]
            let cookie = try await fixture.perform(.createSessionCookie, body, by: Fixture.admin)["sessionCookie"]
            let claims = UnverifiedToken.claims(cookie?.string ?? "")
            #expect(claims?["iss"] == "https://session.firebase.google.com/demo")
            #expect(claims?["exp"] == 1_800_003_600)
            #expect(claims?["sub"] == .string(app.uid))
            #expect(await fixture.refusal(.lookup, ["idToken": cookie ?? .null]) == "INVALID_ID_TOKEN")
            for duration in [299, 1_209_601] {
                let bad: JSONValue = ["idToken": .string(app.idToken), "validDuration": .integer(duration)]
                #expect(await fixture.refusal(.createSessionCookie, bad, by: Fixture.admin) == "INVALID_DURATION")
            }
        }
        try await withAccounts { fixture in
            let refusal = await fixture.refusal(.createSessionCookie, [:], by: Fixture.admin)
            #expect(refusal == "INSUFFICIENT_PERMISSION")
        }
    }

    @Test("Keys are created once, stored, and replaced when they are 30 days old or on request")
    func keys() async throws {
        try await withAccounts { fixture in
            let keys = SigningKeys(of: fixture.store)
            let first = try await keys.load()
            let text = try first.json()
            #expect(try await keys.load().json() == text)
            fixture.clock.advance(seconds: 30 * 86_400 - 1)
            #expect(try await keys.rotateIfDue().json() == text)
            fixture.clock.advance(seconds: 1)
            let second = try await keys.rotateIfDue()
            #expect(try second.json()["keys"]?.list.count == 2)
            #expect(try await SigningKeys(of: fixture.store).load().json() == (try second.json()))
            let fresh = try await keys.rotate(isCompromised: true)
            #expect(try fresh.json()["keys"]?.list.count == 1)
            #expect(try fresh.json() != text)
            try await fixture.tree.set(AccountNodes.keys(), to: "damaged")
            await #expect(throws: TreeError.self) { try await keys.load() }
        }
    }

    @Test("Two concurrent starts get the same keys")
    func concurrentKeys() async throws {
        try await withAccounts { fixture in
            let all = try await withThrowingTaskGroup(of: JSONValue.self) { tasks in
                for _ in 0..<4 { tasks.addTask { try await SigningKeys(of: fixture.store).load().json() } }
                return try await tasks.reduce(into: Set<JSONValue>()) { $0.insert($1) }
            }
            #expect(all.count == 1)
        }
    }

    static let forms: [(text: String, fields: JSONValue?)] = [
        ("", [:]), ("a=b&c=d", ["a": "b", "c": "d"]), ("a=b+c%20d%26", ["a": "b c d&"]), ("a", ["a": ""]),
        ("a=1&a=2", ["a": "1"]), ("a=b=c", ["a": "b=c"]), ("%zz=1", nil), ("a=%ff", nil),
        (String(repeating: "x", count: 65 << 10), nil),
    ]

    @Test("A form is parsed field by field, or not at all", arguments: forms)
    func form(text: String, fields: JSONValue?) {
        #expect(IdentityForm.object(text) == fields)
    }

    @Test("Revocations are stored for the next start until none of the tokens is valid any more")
    func revocations() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            try await fixture.perform(.update, ["localId": .string(app.uid), "disableUser": true], by: Fixture.admin)
            #expect(try await fixture.store.revocations() == [app.uid: 1_800_000_001])
            let sweeper = AccountSweeper(of: fixture.store)
            fixture.clock.advance(seconds: 25 * 3600)
            #expect(try await sweeper.sweep() == 0)
            fixture.clock.advance(seconds: 1)
            #expect(try await sweeper.sweep() == 1)
            #expect(try await fixture.store.revocations() == [:])
        }
    }
}
