import Foundation
import Testing
import TintypeModel

@testable import TintypeClient

@Suite("The key of a renewal, by which a lost answer comes again")
struct SessionRenewalKeyTests {
    /// A way in which the answers to some renewals are lost.
    struct Loss: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let faults: [FakeIdentity.Fault]
        /// Whether the app ends after each loss.
        var endsApp = false
    }

    static let losses = [
        Loss(testDescription: "one answer is lost", faults: [.lost]),
        Loss(testDescription: "several answers are lost", faults: [.lost, .lost, .lost]),
        Loss(testDescription: "the request does not arrive", faults: [.offline]),
        Loss(testDescription: "the request does not arrive, and then the answer is lost", faults: [.offline, .lost]),
        Loss(testDescription: "the service is busy afterwards", faults: [.lost, .problem("busy", status: 503)]),
        Loss(testDescription: "the app ends before the answer", faults: [.lost, .lost], endsApp: true),
    ]

    @Test(
        "A renewal is sent with the same key until it is answered, and the next one has another key", arguments: losses)
    func loss(loss: Loss) async throws {
        var phone = try FakePhone()
        let account = try await phone.signIn()
        for fault in loss.faults {
            phone.clock.pass(.seconds(86_400))
            await phone.identity.fail(fault)
            await #expect(throws: (any Error).self) { try await phone.session.token() }
            #expect(try await phone.session.state == .signedIn(account))
            if loss.endsApp { phone = try phone.otherProcess() }
        }
        phone.clock.pass(.seconds(86_400))
        #expect(try await phone.session.token() != nil)
        let keys = await phone.identity.keys
        let key = try #require(keys.last ?? nil)
        #expect(keys == Array(repeating: key, count: loss.faults.count + 1))
        #expect(key.utf8.count >= 32)
        #expect(await phone.keychain.texts.allSatisfy { !$0.contains(key) }, "the answer has removed the key")

        phone = try phone.otherProcess()
        #expect(try await phone.session.token() != nil)
        let next = try #require(await phone.identity.keys.last ?? nil)
        #expect(next != key)
        #expect(try await phone.session.state == .signedIn(account))
    }

    @Test("The key is in the keychain before the request is sent, beside the token for which it is")
    func order() async throws {
        let phone = try FakePhone()
        try await phone.signIn()
        #expect(try await stored(phone)?.renewalKey == nil)
        phone.clock.pass(.seconds(3600))
        await phone.identity.hold()
        let token = Task { try await phone.session.token() }
        await phone.identity.waitForRenewals(1)
        let during = try #require(try await stored(phone))
        #expect(await phone.identity.keys == [during.renewalKey?.text])
        #expect(during.refreshToken == Secret("refresh-1") && during.renewalKey != nil)
        await phone.identity.release()
        #expect(try await token.value != nil)
        let after = try #require(try await stored(phone))
        #expect(after.refreshToken == Secret("refresh-2") && after.renewalKey == nil)
    }

    @Test("Another process sends a renewal that this one has begun with the same key")
    func otherProcess() async throws {
        let app = try FakePhone()
        try await app.signIn()
        app.clock.pass(.seconds(3600))
        await app.identity.fail(.lost)
        await #expect(throws: TransportError.self) { try await app.session.token() }
        let share = try app.otherProcess()
        #expect(try await share.session.token() != nil)
        #expect(Set(await app.identity.keys).count == 1)
        #expect(try await app.session.token() != nil, "it takes what the other one has got")
        #expect(Set(await app.identity.keys).count == 2)
    }

    @Test("Without a keychain that can be written, the running app still sends the same key")
    func unwritable() async throws {
        for fault in [(reading: false, writing: true), (reading: true, writing: true)] {
            let phone = try FakePhone()
            let account = try await phone.signIn()
            await phone.keychain.fail(reading: fault.reading, writing: fault.writing)
            phone.clock.pass(.seconds(3600))
            await phone.identity.fail(.lost)
            await #expect(throws: TransportError.self) { try await phone.session.token() }
            #expect(try await phone.session.token() != nil)
            #expect(Set(await phone.identity.keys).count == 1)
            await phone.keychain.fail()
            phone.clock.pass(.seconds(3600))
            #expect(try await phone.session.token() != nil)
            #expect(try await stored(phone)?.renewalKey == nil)
            #expect(try await phone.session.state == .signedIn(account))
        }
    }

    @Test("A keychain that cannot be read now is not overwritten: another process may have a later token")
    func unreadable() async throws {
        let app = try FakePhone()
        try await app.signIn()
        let share = try app.otherProcess()
        #expect(try await share.session.token() != nil)
        let kept = try #require(try await stored(app))
        await app.keychain.fail(reading: true)
        app.clock.pass(.seconds(3600))
        await #expect(throws: (any Error).self) { try await app.session.token() }
        await app.keychain.fail()
        #expect(try await stored(app) == kept)
        #expect(try await app.session.token() != nil, "the later token is used as soon as it can be read")
    }

    @Test("The end of a session, a sign-out and another sign-in remove the key")
    func removal() async throws {
        let ends: [@Sendable (FakePhone) async throws -> Void] = [
            { phone in
                await phone.identity.fail(.problem("TOKEN_EXPIRED", status: 400))
                await #expect(throws: SessionError.expired("ann")) { try await phone.session.token() }
            },
            { try await $0.session.signOut() }, { try await $0.signIn("bob") }, { try await $0.signIn("ann") },
        ]
        for (index, end) in ends.enumerated() {
            let phone = try FakePhone()
            try await phone.signIn("ann")
            phone.clock.pass(.seconds(3600))
            await phone.identity.fail(.lost)
            await #expect(throws: TransportError.self) { try await phone.session.token() }
            #expect(try await stored(phone)?.renewalKey != nil)
            try await end(phone)
            #expect(try await stored(phone)?.renewalKey == nil, "\(index)")
        }
    }

    @Test("A session of an earlier version is read, and no description shows the key")
    func earlierVersion() async throws {
        let text = #"{"account":{"id":"ann","isAnonymous":false},"refreshToken":"refresh-1"}"#
        var session = try JSONDecoder().decode(StoredSession.self, from: Data(text.utf8))
        #expect(session == StoredSession(account: Account(id: "ann"), refreshToken: Secret("refresh-1")))
        session.renewalKey = Secret("key-of-renewal")
        var dumped = ""
        dump(session, to: &dumped)
        #expect([dumped, "\(session)", String(reflecting: session)].allSatisfy { !$0.contains("key-of-renewal") })
        #expect(try JSONDecoder().decode(StoredSession.self, from: JSONEncoder().encode(session)) == session)
    }

    /// Returns the session in the keychain of a phone.
    private func stored(_ phone: FakePhone) async throws -> StoredSession? {
        try await SessionStore(phone.keychain, service: phone.client.service).read()
    }
}
