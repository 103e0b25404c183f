import Foundation
import Testing
import TintypeClient
import TintypeModel

/// An authenticator that answers with bytes of its own, or fails.
private struct FakeAuthenticator: PasskeyAuthenticator {
    struct Declined: Error {}

    var declines = false
    var whileAsking: @Sendable () async throws -> Void = {}

    func makePasskey(_ options: PasskeyOptions) async throws -> NewPasskey {
        try await whileAsking()
        if declines { throw Declined() }
        return NewPasskey(
            id: Data([1]), clientData: options.challenge.bytes,
            attestation: options.userID + Data(options.userName.utf8))
    }

    func sign(_ challenge: PasskeyChallenge) async throws -> PasskeySignature {
        if declines { throw Declined() }
        return PasskeySignature(
            id: Data([1]), clientData: challenge.bytes, authenticatorData: Data(challenge.site.utf8),
            signature: Data([2]),
            userID: Data([3]))
    }
}

@Suite("Passkeys of a session") struct PasskeyTests {
    private static let user: JSONValue = ["id": "AwQ=", "name": "ann@example.org"]
    private static let creation: JSONValue = [
        "rp": ["id": "photos.example.org"], "user": user, "challenge": "AQI=",
    ]

    /// Returns a phone whose service answers the operations with these values.
    private func phone(_ answers: [String: JSONValue] = [:]) async throws -> FakePhone {
        let phone = try FakePhone()
        await phone.identity.setPasskeys { operation in
            let usual: [String: JSONValue] = [
                "passkeySignIn:start": [
                    "credentialRequestOptions": ["rpId": "photos.example.org", "challenge": "AQI="]
                ],
                "passkeyEnrollment:start": ["credentialCreationOptions": Self.creation],
                "accounts:lookup": [
                    "users": [
                        [
                            "localId": "ann",
                            "passkeyInfo": [["credentialId": "AQ==", "name": "Phone"], ["name": "none"]],
                        ]
                    ]
                ], "accounts:update": [:],
            ]
            return FakeIdentity.json(answers[operation] ?? usual[operation] ?? [:])
        }
        return phone
    }

    @Test("A passkey signs in with the device's answer to the challenge")
    func signIn() async throws {
        let phone = try await phone()
        let account = try await phone.session.signInWithPasskey(with: FakeAuthenticator())
        #expect(account.id == "ann")
        #expect(try await phone.session.state == .signedIn(account))
        let sent = await phone.identity.passkeyRequests.last
        #expect(sent?.operation == "passkeySignIn:finalize")
        let response: JSONValue = [
            "clientDataJSON": "AQI=",
            "authenticatorData": .string(Data("photos.example.org".utf8).base64EncodedString()),
            "signature": "Ag==", "userHandle": "Aw==",
        ]
        #expect(sent?.fields == ["authenticatorAuthenticationResponse": ["id": "AQ==", "response": response]])
    }

    @Test("A passkey is added, listed and removed in the name of the person")
    func enrollment() async throws {
        let phone = try await phone()
        try await phone.signIn("ann")
        #expect(try await phone.session.addPasskey(named: "Phone", with: FakeAuthenticator()).id == "ann")
        let sent = await phone.identity.passkeyRequests.last?.fields
        #expect(sent?["idToken"]?.string?.isEmpty == false)
        #expect(sent?["name"] == "Phone")
        let attestation = Data([3, 4]) + Data("ann@example.org".utf8)
        #expect(
            sent?["authenticatorRegistrationResponse"] == [
                "id": "AQ==",
                "response": [
                    "clientDataJSON": "AQI=", "attestationObject": .string(attestation.base64EncodedString()),
                ],
            ])
        let passkeys = try await phone.session.passkeys()
        #expect(passkeys == [Passkey(id: "AQ==", name: "Phone")])
        for passkey in passkeys { try await phone.session.removePasskey(passkey) }
        #expect(await phone.identity.passkeyRequests.last?.fields["deletePasskey"] == ["AQ=="])
    }

    @Test("A person who declines, or who signs out meanwhile, changes nothing")
    func declined() async throws {
        let phone = try await phone()
        let account = try await phone.signIn("bob")
        let declining = FakeAuthenticator(declines: true)
        await #expect(throws: FakeAuthenticator.Declined.self) {
            try await phone.session.signInWithPasskey(with: declining)
        }
        await #expect(throws: FakeAuthenticator.Declined.self) { try await phone.session.addPasskey(with: declining) }
        #expect(try await phone.session.state == .signedIn(account))
        let leaving = FakeAuthenticator { try await phone.session.signOut() }
        await #expect(throws: SessionError.signedOut) { try await phone.session.addPasskey(with: leaving) }
        #expect(try await phone.session.state == .signedOut)
    }

    /// Options that are none.
    static let malformed: [JSONValue] = [
        [:], ["rp": [:], "user": user, "challenge": "AQI="], ["rp": ["id": "a"], "user": user],
        ["rp": ["id": "a"], "user": user, "challenge": "?"], ["rp": ["id": "a"], "user": user, "challenge": ""],
        ["rp": ["id": "a"], "user": [:], "challenge": "AQI="], ["rp": ["id": ""], "user": user, "challenge": "AQI="],
        ["rp": ["id": "a"], "user": ["id": 5], "challenge": "AQI="],
    ]

    @Test("Options that cannot be read are errors of the answer", arguments: malformed)
    func malformedOptions(_ options: JSONValue) async throws {
        let phone = try await phone([
            "passkeyEnrollment:start": ["credentialCreationOptions": options],
            "passkeySignIn:start": ["credentialRequestOptions": ["challenge": "AQI="]],
        ])
        try await phone.signIn("ann")
        await #expect(throws: TransportError.self) { try await phone.session.addPasskey(with: FakeAuthenticator()) }
        await #expect(throws: TransportError.self) {
            try await phone.session.signInWithPasskey(with: FakeAuthenticator())
        }
    }
}
