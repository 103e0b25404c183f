import Access
import Model
import Testing
import Tree
import TreeModel

@testable import Accounts

/// Refresh tokens and their repeated use.
@Suite(.timeLimit(.minutes(20))) struct RefreshTests {
    private func refresh(_ fixture: Fixture, _ token: String) async throws -> JSONValue {
        try await fixture.perform(.token, ["grant_type": "refresh_token", "refresh_token": .string(token)])
    }

    @Test("A refresh token gives new tokens, with names that have underscores")
    func refresh() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            fixture.clock.advance(seconds: 3500)
            let answer = try await refresh(fixture, app.refreshToken)
            #expect(
                answer.names == [
                    "access_token", "expires_in", "id_token", "project_id", "refresh_token", "token_type", "user_id",
                ])
            #expect(answer["access_token"] == answer["id_token"])
            #expect(answer["expires_in"] == "3600")
            #expect(answer["token_type"] == "Bearer")
            #expect(answer["user_id"] == .string(app.uid))
            #expect(answer["project_id"] == "demo")
            #expect(answer["refresh_token"] != .string(app.refreshToken))
            let claims = try fixture.authority.verify(answer["id_token"]?.string ?? "")
            #expect(claims["auth_time"] == 1_800_000_000, "the sign-in was when it was")
            #expect(claims["iat"] == 1_800_003_500)
            #expect(claims["firebase"]?["sign_in_provider"] == "password")
        }
    }

    @Test("The spelling of iOS works")
    func otherSpelling() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUpAnonymously()
            let answer = try await fixture.perform(
                .token, ["grantType": "refresh_token", "refreshToken": .string(app.refreshToken)])
            #expect(answer["user_id"] == .string(app.uid))
        }
    }

    @Test("A retry within a minute gets the same token again, and so do two concurrent pages")
    func retry() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            let first = try await refresh(fixture, app.refreshToken)
            fixture.clock.advance(seconds: 60)
            let second = try await refresh(fixture, app.refreshToken)
            #expect(first["refresh_token"] == second["refresh_token"])
            let next = try #require(second["refresh_token"]?.string)
            #expect(await fixture.refresh(next) == "done")
        }
    }

    @Test("All of 32 concurrent refreshes with one token get the same one")
    func concurrency() async throws {
        try await withAccounts(isEmulator: true) { fixture in
            let app = try await fixture.signUp()
            let tokens = try await withThrowingTaskGroup(of: String?.self) { tasks in
                for _ in 0..<32 {
                    tasks.addTask { try await refresh(fixture, app.refreshToken)["refresh_token"]?.string }
                }
                return try await tasks.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1)
        }
    }

    @Test("A replaced token that is used later ends the session, with all its tokens")
    func replay() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            let other = try await fixture.signIn()
            let second = try #require(try await refresh(fixture, app.refreshToken)["refresh_token"]?.string)
            fixture.clock.advance(seconds: 61)
            #expect(await fixture.refresh(app.refreshToken) == "INVALID_REFRESH_TOKEN")
            #expect(await fixture.refresh(second) == "TOKEN_EXPIRED", "whoever has it cannot be told from the thief")
            #expect(await fixture.refresh(other.refreshToken) == "done", "other devices stay signed in")
            let event = fixture.events.all.first { $0.outcome == "INVALID_REFRESH_TOKEN" }
            #expect(event?.reason?.contains(app.uid) == true, "the operator learns of it")
        }
    }

    @Test("A token older than the last one ends the session at once")
    func olderReplay() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            let second = try #require(try await refresh(fixture, app.refreshToken)["refresh_token"]?.string)
            let third = try #require(try await refresh(fixture, second)["refresh_token"]?.string)
            #expect(await fixture.refresh(app.refreshToken) == "INVALID_REFRESH_TOKEN")
            #expect(await fixture.refresh(third) == "TOKEN_EXPIRED")
        }
    }

    static let bad: [(body: JSONValue, message: String)] = [
        ([:], "MISSING_GRANT_TYPE"), (["grant_type": "password", "refresh_token": "x"], "INVALID_GRANT_TYPE"),
        (["grant_type": "refresh_token"], "MISSING_REFRESH_TOKEN"),
        (["grant_type": "refresh_token", "refresh_token": ""], "MISSING_REFRESH_TOKEN"),
        (["grant_type": "refresh_token", "refresh_token": "x"], "INVALID_REFRESH_TOKEN"),
        (["grant_type": "refresh_token", "refresh_token": "a.b.c"], "INVALID_REFRESH_TOKEN"),
        (["grant_type": "refresh_token", "refresh_token": ".."], "INVALID_REFRESH_TOKEN"),
        (
            [
                "grant_type": "refresh_token",
                "refresh_token": "YW5u.QUFBQUFBQUFBQUFB.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            ], "TOKEN_EXPIRED"
        ),
        (
            ["grant_type": "refresh_token", "refresh_token": .string(String(repeating: "A", count: 2000))],
            "INVALID_REFRESH_TOKEN"
        ),
        (["grant_type": "refresh_token", "refresh_token": 7], "INVALID_ARGUMENT : Invalid value of refresh_token"),
    ]

    @Test("A malformed refresh token is refused", arguments: bad)
    func refused(body: JSONValue, message: String) async throws {
        try await withAccounts { fixture in
            #expect(await fixture.refusal(.token, body) == message)
        }
    }

    @Test("An account shows the time of its last ID token, which a refusal does not change")
    func lastRefresh() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            fixture.clock.advance(seconds: 1800)
            #expect(await fixture.refresh("a.b.c") == "INVALID_REFRESH_TOKEN")
            #expect(try await fixture.me(app)["lastRefreshAt"] == "2027-01-15T08:00:00Z")
            #expect(await fixture.refresh(app.refreshToken) == "done")
            let user = try await fixture.me(app)
            #expect(user["lastRefreshAt"] == "2027-01-15T08:30:00Z")
            #expect(user["lastLoginAt"] == "1800000000000" && user["email"] == "ann@example.com")
        }
    }

    @Test("A session ends with its account, and when that is disabled or its tokens are revoked")
    func ends() async throws {
        try await withAccounts { fixture in
            // The errors of a refresh and of a lookup.
            let ends: [(IdentityOperation, JSONValue, String, String)] = [
                (.update, ["disableUser": true], "USER_DISABLED", "USER_DISABLED"),
                (.update, ["disableUser": true, "password": "another"], "USER_DISABLED", "USER_DISABLED"),
                (.update, ["validSince": "1800000030"], "TOKEN_EXPIRED", "TOKEN_EXPIRED"),
                (.update, ["password": "another"], "TOKEN_EXPIRED", "TOKEN_EXPIRED"),
                (.delete, [:], "TOKEN_EXPIRED", "USER_NOT_FOUND"),
            ]
            for (index, (operation, change, refusal, message)) in ends.enumerated() {
                let app = try await fixture.signUp("a\(index)@example.com")
                fixture.clock.advance(seconds: 10)
                var body = change
                body["localId"] = .string(app.uid)
                try await fixture.perform(operation, body, by: Fixture.admin)
                #expect(await fixture.refresh(app.refreshToken) == refusal, "\(change)")
                let lookup = await fixture.refusal(.lookup, ["idToken": .string(app.idToken)])
                #expect(lookup == message, "\(change)")
                #expect(fixture.revocations.all.last?.hasPrefix(app.uid) == true)
            }
        }
    }

    @Test("A session that is not used for 270 days is over, and is cleaned up")
    func idle() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            let sweeper = AccountSweeper(of: fixture.store)
            fixture.clock.advance(seconds: 269 * 86_400)
            #expect(try await sweeper.sweep() == 0)
            let next = try #require(try await refresh(fixture, app.refreshToken)["refresh_token"]?.string)
            fixture.clock.advance(seconds: 270 * 86_400)
            #expect(await fixture.refresh(next) == "TOKEN_EXPIRED")
            #expect(try await sweeper.sweep() == 1)
            #expect(try await fixture.tree.get(AccountNodes.session()) == nil)
        }
    }

    @Test("An interrupted sweep continues where it ended")
    func sweepInParts() async throws {
        try await withAccounts(isEmulator: true) { fixture in
            for _ in 0..<450 { _ = try await fixture.signUpAnonymously() }
            let sweeper = AccountSweeper(of: fixture.store)
            #expect(try await sweeper.sweep(limit: 1) == 0, "the first 200 are looked at")
            fixture.clock.advance(seconds: 270 * 86_400)
            #expect(try await sweeper.sweep(limit: 1) == 200)
            #expect(try await sweeper.sweep(limit: 1) == 50)
            #expect(try await sweeper.sweep() == 200, "those that were good the first time")
            #expect(try await fixture.tree.get(AccountNodes.session()) == nil)
        }
    }

    @Test("An account has 50 sessions; the next one ends the least recently used one")
    func bound() async throws {
        try await withAccounts { fixture in
            let first = try await fixture.signUp()
            let account = try #require(try await fixture.store.account(first.uid))
            for _ in 0..<49 {
                fixture.clock.advance(seconds: 1)
                let token = try SignUp.newToken(of: first.uid)
                _ = try await fixture.store.transact { transaction in
                    let account = try transaction.account(account.uid)
                    return try transaction.signIn(account, inPlaceOf: account, with: token, provider: "password")
                }
            }
            let second = try #require(try await refresh(fixture, first.refreshToken)["refresh_token"]?.string)
            let last = try await fixture.signIn()
            #expect(await fixture.refresh(second) == "done", "it was used")
            #expect(await fixture.refresh(last.refreshToken) == "done")
            let key = try AccountStore.key(of: first.uid)
            #expect(try await fixture.tree.keys(of: AccountNodes.session(key)).count == 50)
        }
    }
}
