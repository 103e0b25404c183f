import Access
import Model
import Testing
import Tree
import TreeModel

@testable import Accounts

/// The keys with which lost answers to refreshes are fetched later.
@Suite(.timeLimit(.minutes(20))) struct RefreshKeyTests {
    /// A second use of a refresh token.
    struct Repetition: Sendable {
        /// The key of the first use, and that of the second.
        let first: String?
        let second: String?
        /// The time between the two, in seconds.
        let seconds: Int64
        var isSuccessorUsed = false
        /// Whether the second use gets the successor again; else the token counts as stolen.
        let isAnswered: Bool
    }

    private static let day: Int64 = 86_400

    static let repetitions = [
        Repetition(first: "k", second: "k", seconds: 0, isAnswered: true),
        Repetition(first: "k", second: "k", seconds: 60, isAnswered: true),
        Repetition(first: "k", second: "k", seconds: 3600, isAnswered: true),
        Repetition(first: "k", second: "k", seconds: 269 * day, isAnswered: true),
        // The rule without a key.
        Repetition(first: "k", second: "other", seconds: 60, isAnswered: true),
        Repetition(first: "k", second: nil, seconds: 60, isAnswered: true),
        Repetition(first: nil, second: "k", seconds: 60, isAnswered: true),
        Repetition(first: nil, second: nil, seconds: 60, isAnswered: true),
        Repetition(first: "k", second: "other", seconds: 61, isAnswered: false),
        Repetition(first: "k", second: "other", seconds: 3600, isAnswered: false),
        Repetition(first: "k", second: "K", seconds: 3600, isAnswered: false),
        Repetition(first: "k", second: nil, seconds: 61, isAnswered: false),
        Repetition(first: nil, second: "k", seconds: 61, isAnswered: false),
        Repetition(first: nil, second: nil, seconds: 61, isAnswered: false),
        // A client that uses the successor has received it.
        Repetition(first: "k", second: "k", seconds: 0, isSuccessorUsed: true, isAnswered: false),
        Repetition(first: "k", second: "k", seconds: 3600, isSuccessorUsed: true, isAnswered: false),
    ]

    @Test("A replaced token with its key gets its successor again until that is used", arguments: repetitions)
    func repetition(repetition: Repetition) async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            let successor = try await fixture.next(after: app.refreshToken, key: repetition.first)
            let latest =
                repetition.isSuccessorUsed
                ? try await fixture.next(after: successor, key: "next") : successor
            fixture.clock.advance(seconds: repetition.seconds)
            guard repetition.isAnswered else {
                #expect(await fixture.refresh(app.refreshToken, key: repetition.second) == "INVALID_REFRESH_TOKEN")
                #expect(await fixture.refresh(latest) == "TOKEN_EXPIRED", "the session has ended")
                return
            }
            for _ in 0..<2 {
                #expect(try await fixture.next(after: app.refreshToken, key: repetition.second) == successor)
            }
            #expect(await fixture.refresh(latest) == "done")
        }
    }

    @Test("One key may serve several refreshes; each token still has its own successor")
    func sameKey() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            let second = try await fixture.next(after: app.refreshToken, key: "k")
            let third = try await fixture.next(after: second, key: "k")
            fixture.clock.advance(seconds: 3600)
            #expect(try await fixture.next(after: second, key: "k") == third)
            #expect(await fixture.refresh(app.refreshToken, key: "k") == "INVALID_REFRESH_TOKEN")
        }
    }

    @Test("A key opens no session that is disabled, revoked or over")
    func ended() async throws {
        try await withAccounts { fixture in
            let ends: [(change: JSONValue?, message: String)] = [
                (["disableUser": true], "USER_DISABLED"), (["password": "another"], "TOKEN_EXPIRED"),
                (nil, "TOKEN_EXPIRED"),
            ]
            for (index, end) in ends.enumerated() {
                let app = try await fixture.signUp("a\(index)@example.com")
                _ = try await fixture.next(after: app.refreshToken, key: "k")
                if var body = end.change {
                    body["localId"] = .string(app.uid)
                    try await fixture.perform(.update, body, by: Fixture.admin)
                } else {
                    fixture.clock.advance(seconds: 270 * Self.day)
                }
                #expect(await fixture.refresh(app.refreshToken, key: "k") == end.message)
            }
        }
    }

    @Test(
        "A key has 1 to 200 printable characters; another one is refused, and the token stays good",
        arguments: [
            "", "a\u{7F}", "a\tb", "a\nb", "\u{0}", "ä", "🔑", String(repeating: "x", count: 201),
        ])
    func badKeys(key: String) async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            let refusal = await fixture.refresh(app.refreshToken, key: key)
            #expect(refusal == "INVALID_ARGUMENT : Idempotency-Key has 1 to 200 printable ASCII characters")
            for good in [" ", "~", "a, b", String(repeating: "x", count: 200)] {
                let session = try await fixture.signIn()
                let next = try await fixture.next(after: session.refreshToken, key: good)
                fixture.clock.advance(seconds: 3600)
                #expect(try await fixture.next(after: session.refreshToken, key: good) == next)
            }
            #expect(await fixture.refresh(app.refreshToken) == "done")
        }
    }

    @Test("Only the hash of a key is stored, and sessions of earlier versions are read")
    func record() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            let next = try await fixture.next(after: app.refreshToken, key: "my-secret-key")
            let account = AccountNodes.session(try AccountStore.key(of: app.uid))
            let id = try #require(try await fixture.tree.keys(of: account).first)
            var record = try #require(try await fixture.tree.get(account / id)?.object)
            let key = TreeKey(unchecked: "key")
            #expect(record[key]?.stringValue?.utf8.count == 43)
            #expect(!"\(record)".contains("my-secret-key"))
            #expect(Session(.object(record))?.value == .object(record))

            record[key] = nil
            try await fixture.tree.set(account / id, to: .object(record))
            #expect(Session(.object(record))?.value == .object(record))
            fixture.clock.advance(seconds: 60)
            #expect(try await fixture.next(after: app.refreshToken, key: "my-secret-key") == next)
            let last = try await fixture.next(after: next, key: "another")
            fixture.clock.advance(seconds: 3600)
            #expect(try await fixture.next(after: next, key: "another") == last, "it has a key from now on")
        }
    }
}
