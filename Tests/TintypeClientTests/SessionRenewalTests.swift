import Foundation
import Testing
import TintypeModel

@testable import TintypeClient

@Suite("The renewal of tokens")
struct SessionRenewalTests {
    @Test("Twenty callers at once cause one renewal, and get the same token")
    func singleFlight() async throws {
        let phone = try FakePhone()
        try await phone.signIn()
        phone.clock.pass(.seconds(3601))
        await phone.identity.hold()
        let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<20 { group.addTask { try await phone.session.token() } }
            await phone.identity.waitForRenewals(1)
            await phone.identity.release()
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1 && tokens.first != .some(nil))
        #expect(await phone.identity.renewalCount == 1)
    }

    @Test(
        "A token is renewed shortly before its expiry, however the device's calendar is set",
        arguments: [
            (3600, 3200, 0), (3600, 3299, 0), (3600, 3300, 1), (3600, 3599, 1), (3600, 3600, 1), (60, 44, 0),
            (60, 45, 1),
            (1_000_000, 86_000, 0), (1_000_000, 86_400, 1),
        ])
    func time(lifetime: Int64, age: Int, renewals: Int) async throws {
        for jump in [-1e9, 0, 1e9] {
            let phone = try FakePhone()
            await phone.identity.setLifetime(lifetime)
            try await phone.signIn()
            phone.clock.pass(.seconds(age))
            phone.clock.set(phone.clock.now + jump)
            #expect(try await phone.session.token() != nil)
            if renewals > 0 { await phone.identity.waitForRenewals(renewals) }
            #expect(await phone.identity.renewalCount == renewals, "\(jump)")
        }
    }

    @Test("A caller does not wait for the renewal of a token that is still valid")
    func early() async throws {
        let phone = try FakePhone()
        try await phone.signIn()
        let first = try await phone.session.token()
        phone.clock.pass(.seconds(3400))
        await phone.identity.hold()
        #expect(try await phone.session.token() == first)
        await phone.identity.waitForRenewals(1)
        #expect(try await phone.session.token() == first)
        await phone.identity.release()
    }

    @Test("A rejected token is renewed once, also for many requests, and the requests succeed")
    func rejection() async throws {
        let phone = try FakePhone()
        try await phone.signIn()
        let first = try #require(try await phone.session.token())
        await phone.identity.reject(first)
        let request = ServiceRequest("GET", ["v1", "posts"])
        let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<20 {
                group.addTask { try await phone.client.answer(to: request, as: JSONValue.self).value["token"]?.string }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1 && !tokens.contains(first))
        #expect(try await phone.session.renew(first), "somebody has renewed it since")
        #expect(await phone.identity.renewalCount == 1)
        #expect(try await !phone.session.renew("no token"))
        #expect(await phone.identity.renewalCount == 1)
    }

    @Test("A token that is rejected again is an error, without a further renewal")
    func rejectionAgain() async throws {
        let phone = try FakePhone()
        try await phone.signIn()
        let refusing = ServiceClient(
            service: phone.client.service, keychain: phone.keychain,
            transport: FakeTransport { request in
                guard request.url.path.hasSuffix("posts") else {
                    return try await phone.identity.transport.answer(request)
                }
                return TransportResponse(status: 401, body: Data(#"{"code":"bad_token"}"#.utf8))
            }, clock: phone.clock)
        let error = await #expect(throws: Problem.self) {
            _ = try await refusing.response(to: ServiceRequest("GET", ["v1", "posts"]))
        }
        #expect(error?.code == .badToken)
        #expect(await phone.identity.renewalCount == 2, "one to begin with, and one because of the rejection")
    }

    @Test(
        "A refusal of the rules renews no token",
        arguments: [
            #"{"code":"permission_denied","detail":"Permission denied"}"#, #"{"error":"Permission denied"}"#, "no",
        ])
    func rules(body: String) async throws {
        let phone = try FakePhone()
        try await phone.signIn()
        let client = ServiceClient(
            service: phone.client.service, keychain: phone.keychain,
            transport: FakeTransport { request in
                guard request.url.path.hasSuffix("posts") else {
                    return try await phone.identity.transport.answer(request)
                }
                return TransportResponse(status: 401, body: Data(body.utf8))
            }, clock: phone.clock)
        await #expect(throws: Problem.self) {
            _ = try await client.response(to: ServiceRequest("GET", ["v1", "posts"]))
        }
        #expect(await phone.identity.renewalCount == 1, "the one to begin with")
    }

    @Test(
        "A session that the service has ended is expired, and its account stays known",
        arguments: ["TOKEN_EXPIRED", "USER_DISABLED", "USER_NOT_FOUND", "INVALID_REFRESH_TOKEN"])
    func expiry(code: String) async throws {
        let phone = try FakePhone()
        let account = try await phone.signIn()
        phone.clock.pass(.seconds(3600))
        await phone.identity.fail(.problem(code, status: 400))
        for _ in 0..<2 {
            await #expect(throws: SessionError.expired("ann")) { try await phone.session.token() }
        }
        #expect(try await phone.session.state == .expired(account))
        #expect(await phone.identity.renewalCount == 1)
        #expect(try await phone.otherProcess().session.state == .expired(account), "after a restart, too")
        try await phone.signIn()
        #expect(try await phone.session.state == .signedIn(account))
    }

    @Test("No other failure signs out")
    func otherFailures() async throws {
        let faults: [FakeIdentity.Fault] = [
            .offline, .problem("the service is busy", status: 503),
            .problem("TOO_MANY_ATTEMPTS_TRY_LATER", status: 429),
            .problem("OPERATION_NOT_ALLOWED", status: 400),
        ]
        for fault in faults {
            let phone = try FakePhone()
            let account = try await phone.signIn()
            phone.clock.pass(.seconds(3600))
            await phone.identity.fail(fault)
            await #expect(throws: (any Error).self) { try await phone.session.token() }
            #expect(try await phone.session.state == .signedIn(account), "\(fault)")
            #expect(try await phone.session.token() != nil, "the next attempt")
        }
    }

    @Test("A caller that is cancelled does not take the renewal from the others")
    func cancellation() async throws {
        let phone = try FakePhone()
        try await phone.signIn()
        phone.clock.pass(.seconds(3600))
        await phone.identity.hold()
        let first = Task { try await phone.session.token() }
        await phone.identity.waitForRenewals(1)
        let second = Task { try await phone.session.token() }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        await phone.identity.release()
        #expect(try await second.value != nil)
        #expect(await phone.identity.renewalCount == 1)
    }

    @Test("A renewal that ends after a sign-out, or after the sign-in of somebody else, changes nothing")
    func overtaken() async throws {
        for next in [nil, "bob"] {
            let phone = try FakePhone()
            try await phone.signIn("ann")
            phone.clock.pass(.seconds(3600))
            await phone.identity.hold()
            let token = Task { try await phone.session.token() }
            await phone.identity.waitForRenewals(1)
            if let next { try await phone.signIn(next) } else { try await phone.session.signOut() }
            await phone.identity.release()
            await #expect(throws: SessionError.signedOut) { try await token.value }
            let state = next.map { Session.State.signedIn(Account(id: Person.ID($0))) } ?? .signedOut
            #expect(try await phone.session.state == state)
            #expect(try await phone.otherProcess().session.state == state)
            #expect(try await phone.session.token().flatMap(IDToken.personID) == next.map { Person.ID($0) })
        }
    }

    @Test("A client for one person sends nothing in the name of another")
    func onePerson() async throws {
        let phone = try FakePhone()
        let ann = phone.client.sending(as: "ann")
        let request = ServiceRequest("GET", ["v1", "posts"])
        await #expect(throws: SessionError.signedOut) { _ = try await ann.response(to: request) }
        try await phone.signIn("ann")
        #expect(try await ann.answer(to: request, as: JSONValue.self).value["token"] != .null)
        try await phone.signIn("bob")
        await #expect(throws: SessionError.signedOut) { _ = try await ann.response(to: request) }
    }
}
