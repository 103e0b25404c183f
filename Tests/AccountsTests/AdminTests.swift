import Testing
import TreeModel

@testable import Accounts

/// The operations of administrators on accounts.
@Suite(.timeLimit(.minutes(20))) struct AdminTests {
    @Test("An administrator creates a complete account, without a sign-in")
    func create() async throws {
        try await withAccounts { fixture in
            let answer = try await fixture.perform(
                .create,
                [
                    "localId": "u1", "email": "ann@example.com", "emailVerified": true, "password": "sesame!",
                    "displayName": "Ann", "photoUrl": "https://p.example/a", "phoneNumber": "+491234567",
                    "disabled": true,
                    "customAttributes": #"{"admin":true}"#,
                ], by: Fixture.admin)
            #expect(
                answer == [
                    "kind": "identitytoolkit#SignupNewUserResponse", "localId": "u1", "email": "ann@example.com",
                    "displayName": "Ann",
                ])
            let found = try await fixture.perform(.lookup, ["localId": ["u1"]], by: Fixture.admin)
            let user = try #require(found["users"]?.list.first)
            #expect(user["emailVerified"] == true)
            #expect(user["disabled"] == true)
            #expect(user["customAttributes"] == #"{"admin":true}"#)
            #expect(user["phoneNumber"] == "+491234567")
            #expect(user["providerUserInfo"]?.list.compactMap { $0["providerId"]?.string } == ["password", "phone"])
            #expect(user["lastLoginAt"] == nil)
        }
    }

    static let refusals: [(operation: IdentityOperation, body: JSONValue, message: String)] = [
        (.create, ["localId": "u1"], "DUPLICATE_LOCAL_ID"), (.create, ["email": "ann@example.com"], "EMAIL_EXISTS"),
        (.create, ["phoneNumber": "+491234567"], "PHONE_NUMBER_EXISTS"),
        (.create, ["phoneNumber": "0123"], "INVALID_PHONE_NUMBER : Invalid format."),
        (.create, ["localId": "a/b"], "INVALID_LOCAL_ID"), (.create, ["localId": ""], "INVALID_LOCAL_ID"),
        (.create, ["localId": .string(String(repeating: "x", count: 129))], "INVALID_LOCAL_ID"),
        (.create, ["password": "12345"], "WEAK_PASSWORD"), (.create, ["disabled": "yes"], "INVALID_ARGUMENT"),
        (.update, [:], "MISSING_LOCAL_ID"), (.update, ["localId": "none"], "USER_NOT_FOUND"),
        (.update, ["localId": "u1", "validSince": "soon"], "INVALID_ARGUMENT"),
        (.update, ["localId": "u1", "linkProviderUserInfo": [:]], "MISSING_PROVIDER_ID"),
        (.update, ["localId": "u1", "linkProviderUserInfo": ["providerId": "google.com"]], "MISSING_RAW_ID"),
        (.delete, [:], "MISSING_LOCAL_ID"), (.delete, ["localId": "none"], "USER_NOT_FOUND"),
        (.batchDelete, [:], "LOCAL_ID_LIST_EXCEEDS_LIMIT"), (.batchCreate, [:], "MISSING_USER_ACCOUNT"),
        (.lookup, ["localId": .list(Array(repeating: "u", count: 101))], "INVALID_ARGUMENT"),
        (.query, ["sortBy": "NAME"], "INVALID_ARGUMENT"), (.query, ["offset": "10001"], "INVALID_ARGUMENT"),
        (.batchGet, ["maxResults": -1], "INVALID_ARGUMENT"), (.deleteAll, [:], "INSUFFICIENT_PERMISSION"),
        (.oobCodes, [:], "INSUFFICIENT_PERMISSION"), (.config, [:], "INSUFFICIENT_PERMISSION"),
    ]

    @Test("Impossible operations are refused, to administrators, too")
    func refused() async throws {
        try await withAccounts { fixture in
            try await fixture.perform(
                .create, ["localId": "u1", "email": "ann@example.com", "phoneNumber": "+491234567"], by: Fixture.admin)
            for (operation, body, message) in Self.refusals {
                let refusal = await fixture.refusal(operation, body, by: Fixture.admin)
                #expect(refusal.hasPrefix(message), "\(operation) \(body)")
            }
        }
    }

    @Test("Only administrators may perform their operations")
    func closed() async throws {
        for isEmulator in [false, true] {
            try await withAccounts(isEmulator: isEmulator) { fixture in
                let app = try await fixture.signUp()
                for operation in IdentityOperation.allCases where operation.needsAdmin {
                    let body: JSONValue = ["localId": .string(app.uid), "localIds": [.string(app.uid)], "force": true]
                    #expect(await fixture.refusal(operation, body) == "INSUFFICIENT_PERMISSION", "\(operation)")
                }
                for operation in [IdentityOperation.lookup, .delete] {
                    let body: JSONValue = ["localId": operation == .delete ? .string(app.uid) : [.string(app.uid)]]
                    #expect(await fixture.refusal(operation, body) == "MISSING_ID_TOKEN", "\(operation)")
                }
                let body: JSONValue = ["localId": .string(app.uid), "password": "open up"]
                #expect(await fixture.refusal(.update, body).hasPrefix("INVALID_REQ_TYPE"))
                #expect(try await fixture.signIn().uid == app.uid)
            }
        }
    }

    @Test("Accounts are found by id, address, number and identity, each once; without any of these, none is found")
    func lookup() async throws {
        try await withAccounts { fixture in
            try await fixture.perform(
                .create, ["localId": "u1", "email": "ann@example.com", "phoneNumber": "+491234567"], by: Fixture.admin)
            try await fixture.perform(.create, ["localId": "u2"], by: Fixture.admin)
            try await fixture.perform(
                .update, ["localId": "u2", "linkProviderUserInfo": ["providerId": "google.com", "rawId": "7"]],
                by: Fixture.admin)
            let requests: [(JSONValue, [String])] = [
                (["localId": ["u1", "u2", "u1", "none"]], ["u1", "u2"]), (["email": ["ANN@example.com", "x"]], ["u1"]),
                (["phoneNumber": ["+491234567"]], ["u1"]),
                (["federatedUserId": [["providerId": "google.com", "rawId": "7"]]], ["u2"]),
                (["localId": ["u1"], "email": ["ann@example.com"]], ["u1"]),
            ]
            for (body, ids) in requests {
                let users = try await fixture.perform(.lookup, body, by: Fixture.admin)["users"]
                #expect(users?.list.compactMap { $0["localId"]?.string } == ids)
            }
            let none = try await fixture.perform(.lookup, ["localId": ["none", "a/b"]], by: Fixture.admin)
            #expect(none == ["kind": "identitytoolkit#GetAccountInfoResponse"])
        }
    }

    @Test("Bulk deletion is for disabled accounts only, unless it is forced")
    func batchDelete() async throws {
        try await withAccounts { fixture in
            for id in ["a", "b", "c"] {
                try await fixture.perform(.create, ["localId": .string(id)], by: Fixture.admin)
            }
            try await fixture.perform(.update, ["localId": "b", "disableUser": true], by: Fixture.admin)
            let answer = try await fixture.perform(
                .batchDelete, ["localIds": ["a", "b", "none"]], by: Fixture.admin)
            #expect(
                answer == [
                    "errors": [
                        [
                            "index": 0, "localId": "a",
                            "message": "NOT_DISABLED : Disable the account before batch deletion.",
                        ]
                    ]
                ])
            #expect(try await fixture.store.count() == 2)
            let forced = try await fixture.perform(
                .batchDelete, ["localIds": ["a", "c"], "force": true], by: Fixture.admin)
            #expect(forced == [:])
            #expect(try await fixture.store.count() == 0)
        }
    }

    @Test("Acts of administrators and refusals are reported, without secrets")
    func audit() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            _ = await fixture.refusal(.signInWithPassword, ["email": "ann@example.com", "password": "wrong password"])
            try await fixture.perform(.lookup, ["localId": [.string(app.uid)]], by: Fixture.admin)
            try await fixture.perform(
                .update, ["localId": .string(app.uid), "password": "open up"], by: Fixture.admin)
            #expect(
                fixture.events.all == [
                    AuditEvent(
                        operation: .signInWithPassword, outcome: "INVALID_LOGIN_CREDENTIALS", reason: nil, uid: nil,
                        isAdmin: false,
                        address: "192.0.2.1"),
                    AuditEvent(
                        operation: .update, outcome: "done", reason: nil, uid: app.uid, isAdmin: true, address: "admin"),
                ])
        }
    }

    @Test("A disabled account can be used again after it is enabled, with a new sign-in")
    func enable() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            for isDisabled in [true, false] {
                try await fixture.perform(
                    .update, ["localId": .string(app.uid), "disableUser": .bool(isDisabled)], by: Fixture.admin)
            }
            #expect(await fixture.refresh(app.refreshToken) == "TOKEN_EXPIRED")
            #expect(await fixture.refusal(.lookup, ["idToken": .string(app.idToken)]) == "TOKEN_EXPIRED")
            let again = try await fixture.signIn()
            #expect(await fixture.refusal(.lookup, ["idToken": .string(again.idToken)]) == "done")
        }
    }

    @Test("Tokens of a deleted account are not valid for the next one with its id")
    func recreated() async throws {
        try await withAccounts(isEmulator: true) { fixture in
            let body: JSONValue = ["token": #"{"uid":"u1"}"#]
            let first = SignedInApp(try await fixture.perform(.signInWithCustomToken, body))
            try await fixture.perform(.delete, ["idToken": .string(first.idToken)])
            let second = SignedInApp(try await fixture.perform(.signInWithCustomToken, body))
            #expect(await fixture.refusal(.lookup, ["idToken": .string(first.idToken)]) == "TOKEN_EXPIRED")
            #expect(await fixture.refusal(.lookup, ["idToken": .string(second.idToken)]) == "done")
            #expect(await fixture.refresh(first.refreshToken) == "TOKEN_EXPIRED")
        }
    }
}
