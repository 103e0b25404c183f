import PasskeySupport
import Testing
import TreeModel

@testable import Accounts

/// Runs a test's body with a service that has a public address.
func withPasskeys(
    limits: ThrottleLimits = ThrottleLimits(), _ body: (Fixture) async throws -> Void
) async throws {
    try await withAccounts(limits: limits, settings: { $0.origin = "https://photos.example" }, body)
}

extension Fixture {
    /// Returns the options for a new passkey.
    func creation(_ app: SignedInApp) async throws -> JSONValue {
        let answer = try await perform(.startPasskeyEnrollment, ["idToken": .string(app.idToken)])
        return try #require(answer["credentialCreationOptions"])
    }

    func creationChallenge(_ app: SignedInApp) async throws -> String {
        try #require(try await creation(app)["challenge"]?.string)
    }

    func signInChallenge(by caller: IdentityCaller = app) async throws -> String {
        let answer = try await perform(.startPasskeySignIn, [:], by: caller)
        return try #require(answer["credentialRequestOptions"]?["challenge"]?.string)
    }

    func body(_ app: SignedInApp, _ registration: JSONValue, name: String = "") throws -> JSONValue {
        ["idToken": .string(app.idToken), "name": .string(name), "authenticatorRegistrationResponse": registration]
    }

    func add(_ device: SoftwareAuthenticator, to app: SignedInApp, name: String = "") async throws -> SignedInApp {
        let registration = try device.registration(.creation(try await creationChallenge(app)))
        return SignedInApp(try await perform(.finalizePasskeyEnrollment, try body(app, registration, name: name)))
    }

    func signIn(_ device: SoftwareAuthenticator, counter: UInt32) async throws -> JSONValue {
        let response = try device.authentication(.assertion(try await signInChallenge(), counter: counter))
        return try await perform(.finalizePasskeySignIn, ["authenticatorAuthenticationResponse": response])
    }

    func refusedSignIn(_ response: JSONValue, by caller: IdentityCaller = app) async -> String {
        await refusal(.finalizePasskeySignIn, ["authenticatorAuthenticationResponse": response], by: caller)
    }

    func refusedSignIn(_ device: SoftwareAuthenticator) async throws -> String {
        await refusedSignIn(try device.authentication(.assertion(try await signInChallenge())))
    }
}
