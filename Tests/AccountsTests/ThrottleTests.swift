import Testing
import TreeModel

@testable import Accounts

/// Limits on clients that guess, without effects on others.
@Suite(.timeLimit(.minutes(20))) struct ThrottleTests {
    private static let attacker = IdentityCaller(address: "198.51.100.7")

    private static func attempt(_ email: String, _ password: String = "wrong password") -> JSONValue {
        ["email": .string(email), "password": .string(password)]
    }

    /// Returns the status and the waiting time of a refusal.
    private func refusal(
        _ fixture: Fixture, _ operation: IdentityOperation, _ body: JSONValue, by caller: IdentityCaller
    ) async -> IdentityError? {
        do throws(IdentityError) {
            _ = try await fixture.service.perform(operation, body, by: caller)
            return nil
        } catch {
            return error
        }
    }

    @Test("Ten wrong passwords from one address block it for a minute, but not the owner")
    func passwords() async throws {
        // A hasher of its own, so that concurrent tests are not counted.
        try await withAccounts(passwords: PasswordHasher(atATime: 1)) { fixture in
            _ = try await fixture.signUp()
            for email in ["ann@example.com", "nobody@example.com"] {
                for _ in 0..<10 {
                    let error = await refusal(fixture, .signInWithPassword, Self.attempt(email), by: Self.attacker)
                    #expect(error == .invalidCredentials)
                }
                let count = fixture.passwords.count
                let error = await refusal(fixture, .signInWithPassword, Self.attempt(email), by: Self.attacker)
                #expect(error?.code == "TOO_MANY_ATTEMPTS_TRY_LATER", "\(email): the same with and without an account")
                #expect(error?.status == 429)
                #expect(error?.retryAfterSeconds == 60)
                #expect(fixture.passwords.count == count, "no work is done for it")
            }
            let right = Self.attempt("ann@example.com", "sesame!")
            let refused = await refusal(fixture, .signInWithPassword, right, by: Self.attacker)
            #expect(refused?.status == 429, "the right guess does not help either")
            _ = try await fixture.signIn()
            fixture.clock.advance(seconds: 60)
            let again = await refusal(fixture, .signInWithPassword, right, by: Self.attacker)
            #expect(again == nil)
        }
    }

    @Test("A client that probes for addresses with accounts is slowed down, by every method", arguments: [true, false])
    func takenAddresses(isUpdate: Bool) async throws {
        try await withAccounts { fixture in
            _ = try await fixture.signUp()
            let app = SignedInApp(try await fixture.perform(.signUp, ["returnSecureToken": true], by: Self.attacker))
            let question: JSONValue = [
                "idToken": .string(app.idToken), "email": "ann@example.com", "password": "sesame!",
            ]
            var answers: [String: Int] = [:]
            for _ in 0..<110 {
                let error = await refusal(fixture, isUpdate ? .update : .signUp, question, by: Self.attacker)
                answers[error?.code ?? "done", default: 0] += 1
            }
            #expect(answers["EMAIL_EXISTS"] == 99 && answers["TOO_MANY_ATTEMPTS_TRY_LATER"] == 11, "\(answers)")
        }
    }

    @Test("Concurrent guesses count like sequential ones")
    func concurrentPasswords() async throws {
        try await withAccounts { fixture in
            _ = try await fixture.signUp()
            let outcomes = await withTaskGroup(of: String?.self) { tasks in
                for _ in 0..<40 {
                    tasks.addTask {
                        await refusal(
                            fixture, .signInWithPassword, Self.attempt("ann@example.com"), by: Self.attacker)?.code
                    }
                }
                return await tasks.reduce(into: [:]) { $0[$1 ?? "done", default: 0] += 1 }
            }
            #expect(outcomes == ["INVALID_LOGIN_CREDENTIALS": 10, "TOO_MANY_ATTEMPTS_TRY_LATER": 30])
        }
    }

    @Test("Guesses from many addresses close an account to new addresses for seconds, and never to its owner's")
    func botnet() async throws {
        var limits = ThrottleLimits()
        limits.passwordsOfAccount = RateLimit(burst: 3, interval: 10)
        try await withAccounts(limits: limits) { fixture in
            _ = try await fixture.signUp()
            _ = try await fixture.signIn()
            for index in 0..<5 {
                let bot = IdentityCaller(address: "203.0.113.\(index)")
                let error = await refusal(fixture, .signInWithPassword, Self.attempt("ann@example.com"), by: bot)
                #expect(error?.code == (index < 3 ? "INVALID_LOGIN_CREDENTIALS" : "TOO_MANY_ATTEMPTS_TRY_LATER"))
            }
            _ = try await fixture.signIn()
            let elsewhere = IdentityCaller(address: "198.51.100.99")
            let right = Self.attempt("ann@example.com", "sesame!")
            let closed = await refusal(fixture, .signInWithPassword, right, by: elsewhere)
            #expect(closed?.retryAfterSeconds == 10)
            fixture.clock.advance(seconds: 10)
            let open = await refusal(fixture, .signInWithPassword, right, by: elsewhere)
            #expect(open == nil)
        }
    }

    @Test("Right passwords count nothing")
    func success() async throws {
        var limits = ThrottleLimits()
        limits.passwordsFromAddress = RateLimit(burst: 2, interval: 1000)
        try await withAccounts(limits: limits) { fixture in
            _ = try await fixture.signUp()
            for _ in 0..<5 { _ = try await fixture.signIn() }
        }
    }

    @Test("An address creates a limited number of accounts, and then one in a while; others are not affected")
    func signUps() async throws {
        var limits = ThrottleLimits()
        limits.signUpsFromAddress = RateLimit(burst: 3, interval: 36)
        try await withAccounts(limits: limits) { fixture in
            for index in 0..<4 {
                let error = await refusal(fixture, .signUp, [:], by: Self.attacker)
                #expect(error?.retryAfterSeconds == (index < 3 ? nil : 36))
            }
            _ = try await fixture.signUpAnonymously()
            try await fixture.perform(.create, [:], by: IdentityCaller(isAdmin: true, address: Self.attacker.address))
        }
    }

    @Test("An address gets a limited number of messages, with or without an account")
    func codes() async throws {
        try await withAccounts { fixture in
            _ = try await fixture.signUp()
            for email in ["ann@example.com", "bob@example.com"] {
                let body: JSONValue = ["requestType": "PASSWORD_RESET", "email": .string(email)]
                for index in 0..<5 {
                    let error = await refusal(fixture, .sendOobCode, body, by: Self.attacker)
                    #expect(error?.code == (index < 4 ? nil : "TOO_MANY_ATTEMPTS_TRY_LATER"), "\(email)")
                }
                #expect(await fixture.refusal(.sendOobCode, body) == "done", "its owner asks from elsewhere")
            }
        }
    }

    @Test("An app that refreshes without end gets a busy error, which signs no user out")
    func refreshes() async throws {
        var limits = ThrottleLimits()
        limits.refreshesOfSession = RateLimit(burst: 2, interval: 10)
        try await withAccounts(limits: limits) { fixture in
            let app = try await fixture.signUp()
            let body: JSONValue = ["grant_type": "refresh_token", "refresh_token": .string(app.refreshToken)]
            for _ in 0..<2 { #expect(await refusal(fixture, .token, body, by: Self.attacker) == nil) }
            let error = await refusal(fixture, .token, body, by: Self.attacker)
            #expect(error?.status == 503)
            #expect(error?.retryAfterSeconds == 10)
            #expect(error?.document == nil, "no JSON")
        }
    }

    @Test("A client that guesses refresh tokens is slowed down, too")
    func badRefreshes() async throws {
        var limits = ThrottleLimits()
        limits.badRefreshesFromAddress = RateLimit(burst: 2, interval: 7)
        try await withAccounts(limits: limits) { fixture in
            let body: JSONValue = ["grant_type": "refresh_token", "refresh_token": "guess"]
            for index in 0..<3 {
                let error = await refusal(fixture, .token, body, by: Self.attacker)
                #expect(error?.code == (index < 2 ? "INVALID_REFRESH_TOKEN" : "TOO_MANY_ATTEMPTS_TRY_LATER"))
            }
        }
    }

    @Test("An emulator has no limits")
    func emulator() async throws {
        var limits = ThrottleLimits()
        limits.signUpsFromAddress = RateLimit(burst: 1, interval: 1000)
        try await withAccounts(isEmulator: true, limits: limits) { fixture in
            for _ in 0..<5 { _ = try await fixture.signUpAnonymously() }
        }
    }

    @Test("A bucket fills again with time, up to its capacity, whatever the clock does")
    func bucket() {
        let buckets = TokenBuckets(RateLimit(burst: 2, interval: 10))
        let steps: [(now: Int64, wait: Int?)] = [
            (0, nil), (0, nil), (0, 10), (1_000, 9), (9_999, 1), (10_000, nil), (10_000, 10), (5_000, 10),
            (1_000_000, nil), (1_000_000, nil), (1_000_000, 10),
        ]
        for (index, (now, wait)) in steps.enumerated() {
            #expect(buckets.take("a", at: Timestamp(milliseconds: now)) == wait, "step \(index)")
        }
        #expect(buckets.take("b", at: .epoch) == nil)
    }

    @Test("Memory is bounded, and the heaviest users are kept the longest")
    func memory() {
        let buckets = TokenBuckets(RateLimit(burst: 3, interval: 1000), maxKeys: 100)
        for _ in 0..<4 { _ = buckets.take("attacker", at: .epoch) }
        for index in 0..<10_000 { _ = buckets.take("other \(index)", at: .epoch) }
        #expect(buckets.count <= 100)
        #expect(buckets.take("attacker", at: .epoch) != nil)
        let known = KnownAddresses(maxCount: 10)
        for index in 0..<100 { _ = known.add("\(index)") }
        #expect(known.contains("99"))
        #expect(known.contains("85"))
        #expect(!known.contains("70"))
    }
}
