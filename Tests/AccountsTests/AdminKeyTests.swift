import Access
import Cryptography
import Model
import Synchronization
import Testing
import Tree
import TreeModel

@testable import Accounts

/// Keys with the access of the owner.
@Suite(.timeLimit(.minutes(20))) struct AdminKeyTests {
    @Test("Changes are reported as the complete list, with the keys of earlier starts")
    func changes() async throws {
        try await withAccounts { fixture in
            let told = Recorder<[String]>()
            let keys = AdminKeys(of: fixture.store) { told.add($0.map(\.name).sorted()) }
            _ = try await keys.add("a", lifetimeSeconds: nil)
            let (entry, text) = try await keys.add("b", lifetimeSeconds: 60)
            #expect(entry.key.expiresAt == fixture.clock.now + .seconds(60) && text.text.hasPrefix("tintype_"))
            try await keys.remove("a")
            #expect(told.all == [["a"], ["a", "b"], ["b"]])
            let restarted = AdminKeys(of: fixture.store) { told.add($0.map(\.name).sorted()) }
            try await restarted.load()
            #expect(told.all.last == ["b"])
            #expect(try await restarted.list() == [entry], "what is read back is what was made")
        }
    }

    @Test("Keys created concurrently are all reported in the end")
    func concurrently() async throws {
        try await withAccounts { fixture in
            let told = Recorder<Int>()
            let keys = AdminKeys(of: fixture.store) { told.add($0.count) }
            try await withThrowingTaskGroup { group in
                for number in 0..<20 { group.addTask { _ = try await keys.add("k\(number)", lifetimeSeconds: nil) } }
                try await group.waitForAll()
            }
            #expect(told.all == Array(1...20))
        }
    }

    static let refusals: [(name: String, lifetime: Int64?, code: String)] = [
        ("", nil, "INVALID_KEY_NAME"), ("a b", nil, "INVALID_KEY_NAME"), ("a.b", nil, "INVALID_KEY_NAME"),
        ("ä", nil, "INVALID_KEY_NAME"), (String(repeating: "x", count: 65), nil, "INVALID_KEY_NAME"),
        ("a", 0, "INVALID_ARGUMENT"), ("a", -1, "INVALID_ARGUMENT"), ("a", 315_360_001, "INVALID_ARGUMENT"),
        ("a", .max, "INVALID_ARGUMENT"), ("taken", nil, "KEY_EXISTS"),
    ]

    @Test("An invalid name or lifetime of a key is refused, and changes nothing")
    func refused() async throws {
        try await withAccounts { fixture in
            let told = Recorder<Int>()
            let keys = AdminKeys(of: fixture.store) { told.add($0.count) }
            _ = try await keys.add("taken", lifetimeSeconds: nil)
            for item in Self.refusals {
                do throws(IdentityError) {
                    _ = try await keys.add(item.name, lifetimeSeconds: item.lifetime)
                    Issue.record("\(item) was taken")
                } catch {
                    #expect(error.code == item.code, "\(item)")
                }
            }
            for name in ["none", "", "a/b", "a.b"] {
                do throws(IdentityError) {
                    try await keys.remove(name)
                    Issue.record("\(name) was removed")
                } catch {
                    #expect(error.code == "KEY_NOT_FOUND")
                }
            }
            #expect(told.all == [1])
        }
    }

    @Test(
        "A malformed key record gives no access, and does not disturb the others",
        arguments: [
            ["sha256": "short", "created": 1], ["sha256": .string(String(repeating: "A", count: 43)), "created": "x"],
            ["sha256": .string(String(repeating: "A", count: 43)), "created": 1, "expires": "never"], "text",
        ] as [TreeValue])
    func damaged(record: TreeValue) async throws {
        try await withAccounts { fixture in
            let told = Recorder<[String]>()
            let keys = AdminKeys(of: fixture.store) { told.add($0.map(\.name)) }
            _ = try await keys.add("good", lifetimeSeconds: nil)
            try await fixture.tree.set(AccountNodes.adminKey() / TreeKey(unchecked: "bad"), to: record)
            try await keys.load()
            #expect(told.all.last == ["good"])
        }
    }
}

/// Tokens requested by administrators.
@Suite(.timeLimit(.minutes(20))) struct TokenIssueTests {
    @Test("A token is valid, also in the second in which earlier ones were revoked, until the next revocation")
    func revoked() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            let update: JSONValue = [
                "localId": .string(app.uid), "validSince": .string("\(fixture.clock.now.seconds)"),
            ]
            try await fixture.perform(.update, update, by: Fixture.admin)
            let issued = try await fixture.perform(.issueToken, ["localId": .string(app.uid)], by: Fixture.admin)
            let lookup: JSONValue = ["idToken": issued["token"] ?? .null]
            #expect(await fixture.refusal(.lookup, lookup) == "done")
            #expect(await fixture.refusal(.lookup, ["idToken": .string(app.idToken)]) == "TOKEN_EXPIRED")
            fixture.clock.advance(seconds: 2)
            try await fixture.perform(
                .update, ["localId": .string(app.uid), "validSince": .string("\(fixture.clock.now.seconds)")],
                by: Fixture.admin)
            #expect(await fixture.refusal(.lookup, lookup) == "TOKEN_EXPIRED")
        }
    }

    @Test("Only administrators get tokens, each with a line in the audit")
    func audited() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            let body: JSONValue = ["localId": .string(app.uid)]
            #expect(await fixture.refusal(.issueToken, body) == "INSUFFICIENT_PERMISSION")
            #expect(await fixture.refusal(.issueToken, ["idToken": .string(app.idToken)]) == "INSUFFICIENT_PERMISSION")
            try await fixture.perform(.issueToken, body, by: Fixture.admin)
            let events = fixture.events.all.filter { $0.operation == .issueToken }
            #expect(events.map(\.outcome) == ["INSUFFICIENT_PERMISSION", "INSUFFICIENT_PERMISSION", "done"])
            #expect(events.last?.uid == app.uid)
        }
    }

    @Test("A custom token signs in as any user, with its claims")
    func custom() async throws {
        try await withAccounts { fixture in
            let issued = try await fixture.perform(
                .issueToken, ["localId": "new", "custom": true, "claims": ["team": "x"]], by: Fixture.admin)
            let app = SignedInApp(
                try await fixture.perform(.signInWithCustomToken, ["token": issued["token"] ?? .null]))
            let claims = try fixture.claims(app)
            #expect(claims["sub"]?.string == "new" && claims["team"]?.string == "x")
        }
    }
}
