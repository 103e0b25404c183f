import Foundation
import Testing
import TintypeModel

@testable import TintypeClient

@Suite("A session and the keychain")
struct SessionKeychainTests {
    @Test("The session is there after a restart, and its tokens are in no description")
    func restart() async throws {
        let phone = try FakePhone()
        let account = try await phone.signIn()
        let again = try phone.otherProcess()
        #expect(try await again.session.state == .signedIn(account))
        #expect(try await again.session.token() != nil)
        let stored = StoredSession(account: account, refreshToken: Secret("refresh-1"))
        let token = try IDToken(try #require(try await again.session.token()))
        var dumped = ""
        dump(stored, to: &dumped)
        dump(token, to: &dumped)
        dump(again.client, to: &dumped)
        let texts = ["\(stored)", String(reflecting: stored), "\(token)", String(reflecting: token), dumped]
        #expect(texts.allSatisfy { !$0.contains("refresh-") && !$0.contains("head.") })
        #expect(await phone.keychain.texts.allSatisfy { $0.contains("refresh-") })
    }

    @Test("A token that another process has renewed meanwhile is used, and signs nobody out")
    func otherProcess() async throws {
        let app = try FakePhone()
        try await app.signIn()
        let share = try app.otherProcess()
        #expect(try await share.session.token() != nil)
        // The app's own refresh token was used up by the other process.
        app.clock.pass(.seconds(3600))
        #expect(try await app.session.token() != nil)
        #expect(try await app.session.state == .signedIn(Account(id: "ann")))
    }

    @Test("A refusal is not believed if another process has written a token while it was under way")
    func refusedMeanwhile() async throws {
        let app = try FakePhone()
        try await app.signIn()
        app.clock.pass(.seconds(3600))
        let share = try app.otherProcess()
        await app.identity.hold()
        let token = Task { try await app.session.token() }
        await app.identity.waitForRenewals(1)
        // The other process signs the same person in again; the service then refuses the earlier token.
        try await share.signIn()
        await app.identity.fail(.problem("INVALID_REFRESH_TOKEN", status: 400))
        await app.identity.release()
        #expect(try await token.value != nil)
        #expect(try await app.session.state == .signedIn(Account(id: "ann")))
        #expect(await app.identity.renewalCount == 2)
    }

    @Test("A sign-out or sign-in of another process is noticed at the next renewal")
    func otherPerson() async throws {
        for next in [nil, "bob"] {
            let app = try FakePhone()
            try await app.signIn()
            let share = try app.otherProcess()
            if let next { try await share.signIn(next) } else { try await share.session.signOut() }
            app.clock.pass(.seconds(3600))
            await #expect(throws: SessionError.signedOut) { try await app.session.token() }
            #expect(try await app.session.token().flatMap(IDToken.personID) == next.map { Person.ID($0) })
        }
    }

    @Test("A keychain that cannot be read is an error, and the session is there later")
    func unreadable() async throws {
        let phone = try FakePhone()
        try await phone.signIn()
        let again = try phone.otherProcess()
        await phone.keychain.fail(reading: true)
        await #expect(throws: SessionError.self) { try await again.session.state }
        await #expect(throws: SessionError.self) { try await again.session.token() }
        var states = await again.session.states().makeAsyncIterator()
        await phone.keychain.fail()
        #expect(try await again.session.state == .signedIn(Account(id: "ann")))
        #expect(await states.next() == .signedIn(Account(id: "ann")))
    }

    @Test("A token that cannot be written is not lost, and is written with the next renewal")
    func unwritable() async throws {
        let phone = try FakePhone()
        try await phone.signIn()
        await phone.keychain.fail(writing: true)
        for _ in 0..<3 {
            phone.clock.pass(.seconds(3600))
            #expect(try await phone.session.token() != nil)
        }
        await #expect(throws: SessionError.self) { try await phone.session.signOut() }
        #expect(try await phone.session.state == .signedIn(Account(id: "ann")))
        await phone.keychain.fail()
        phone.clock.pass(.seconds(3600))
        #expect(try await phone.session.token() != nil)
        #expect(try await phone.otherProcess().session.token() != nil, "the keychain has the latest token")
    }

    @Test("Damage in the keychain is no session")
    func damage() async throws {
        let phone = try FakePhone()
        try await phone.signIn()
        await phone.keychain.corrupt()
        #expect(try await phone.otherProcess().session.state == .signedOut)
    }

    @Test("Each listener gets the present state, and then each change")
    func states() async throws {
        let phone = try FakePhone()
        let (ann, bob) = (Account(id: "ann"), Account(id: "bob"))
        var first = await phone.session.states().makeAsyncIterator()
        #expect(await first.next() == .signedOut)
        try await phone.signIn("ann")
        var second = await phone.session.states().makeAsyncIterator()
        phone.clock.pass(.seconds(3600))
        #expect(try await phone.session.token() != nil, "a renewal is no change")
        try await phone.signIn("bob")
        phone.clock.pass(.seconds(3600))
        await phone.identity.fail(.problem("USER_DISABLED", status: 400))
        await #expect(throws: SessionError.expired("bob")) { try await phone.session.token() }
        try await phone.session.signOut()
        for expected in [Session.State.signedIn(ann), .signedIn(bob), .expired(bob), .signedOut] {
            #expect(await first.next() == expected)
            #expect(await second.next() == expected)
        }
    }

    @Test(
        "An answer without usable tokens signs nobody in",
        arguments: [
            "", "[]", "{}", #"{"idToken":"a.b.c","refreshToken":"r"}"#,
            #"{"idToken":"e30.e30.e30","refreshToken":"r"}"#,
            #"{"idToken":"h.eyJzdWIiOiIiLCJpYXQiOjEsImV4cCI6Mn0.s","refreshToken":"r"}"#,
            #"{"idToken":"h.eyJzdWIiOiJhIiwiaWF0IjoyLCJleHAiOjF9.s","refreshToken":"r"}"#,
            #"{"idToken":"h.eyJzdWIiOiJhIiwiaWF0IjoxLCJleHAiOjJ9.s","refreshToken":""}"#,
        ])
    func malformed(body: String) async throws {
        let transport = FakeTransport { _ in TransportResponse(status: 200, body: Data(body.utf8)) }
        let phone = try FakePhone()
        let client = ServiceClient(
            service: phone.client.service, keychain: phone.keychain, transport: transport, clock: phone.clock)
        let error = await #expect(throws: TransportError.self) {
            try await client.session.signIn(email: "ann", password: "secret")
        }
        #expect(error?.cause == .malformed)
        #expect(try await client.session.state == .signedOut)
    }
}
