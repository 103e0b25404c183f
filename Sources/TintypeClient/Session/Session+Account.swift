public import TintypeModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Changes of one's own account. They throw `Problem` with the codes of `Problem.Code`, `TransportError`, and
/// `SessionError`. Those of the password, the address and the whole account require a sign-in within the last five minutes.
extension Session {
    /// Returns the account as the service has it.
    public func accountDetails() async throws -> AccountDetails {
        let answer = try await tokens.callAsUser("lookup").answer
        guard let details = answer["users"]?[0].flatMap(AccountDetails.init) else {
            throw TransportError(.malformed, "the answer has no account")
        }
        return details
    }

    /// Changes the password. All other sessions of the person end.
    public func changePassword(to password: String) async throws {
        try await change(["password": .string(password)])
    }

    /// Changes the name of the account. The profile follows, unless it was given another name.
    public func changeName(to name: String) async throws { try await change(["displayName": .string(name)]) }

    /// Deletes the account, and signs out. The person and the posts stay; see `ServiceClient.deletePerson(_:)`, which
    /// comes first.
    public func deleteAccount() async throws {
        _ = try await tokens.callAsUser("delete")
        try await signOut()
    }

    private func change(_ fields: [String: JSONValue?]) async throws {
        let secure: [String: JSONValue?] = ["returnSecureToken": true]
        let (answer, generation) = try await tokens.callAsUser("update", fields.merging(secure) { $1 })
        // Without tokens the session goes on.
        guard answer["refreshToken"] != nil else { return }
        _ = try await tokens.signIn(try TokenGrant(answer), during: generation)
    }
}

/// Codes that the service sends by e-mail, in links or to be typed.
extension Session {
    /// Sends a link for signing in to an address, whether it has an account or not.
    ///
    /// - Parameters:
    ///   - email: The address.
    ///   - continueURL: The address at which the app is opened, on the service's host.
    public func sendSignInLink(to email: String, continueURL: URL) async throws {
        try await send("EMAIL_SIGNIN", to: email, continueURL)
    }

    /// Sends a code for another password to an address, if it has an account.
    ///
    /// - Parameters:
    ///   - email: The address.
    ///   - continueURL: The address that the page of the service leads to afterwards; nil for none.
    public func sendPasswordReset(to email: String, continueURL: URL? = nil) async throws {
        try await send("PASSWORD_RESET", to: email, continueURL)
    }

    /// Sets another password with a code. All sessions of the person end.
    public func resetPassword(code: String, to password: String) async throws {
        _ = try await identity.call(
            "resetPassword", ["oobCode": .string(code), "newPassword": .string(password)])
    }

    /// Sends a code that verifies the address of the account.
    public func sendEmailVerification() async throws {
        _ = try await tokens.callAsUser("sendOobCode", ["requestType": "VERIFY_EMAIL"])
    }

    /// Sends a code that changes the address of the account to the new address.
    public func sendEmailChange(to email: String) async throws {
        _ = try await tokens.callAsUser(
            "sendOobCode", ["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": .string(email)])
    }

    /// Verifies or changes the address of an account with a code. A change ends all sessions of the person.
    public func applyCode(_ code: String) async throws {
        _ = try await identity.call("update", ["oobCode": .string(code)])
    }

    private func send(_ kind: String, to email: String, _ continueURL: URL?) async throws {
        _ = try await identity.call(
            "sendOobCode",
            [
                "requestType": .string(kind), "email": .string(email),
                "continueUrl": continueURL.map { .string($0.absoluteString) },
            ])
    }
}

/// An account as the service has it.
public struct AccountDetails: Hashable, Sendable {
    /// The id of the person.
    public var id: Person.ID
    /// The address; nil for none.
    public var email: String?
    /// Whether the person has proved to read messages to the address.
    public var isEmailVerified: Bool
    /// The name; nil for none.
    public var name: String?
    /// The ways to sign in, such as `password` or `apple.com`.
    public var providers: [String]
    /// The time of the sign-up; nil if the service does not know it.
    public var createdAt: Date?
    /// The time of the last sign-in; nil if the service does not know it.
    public var lastSignInAt: Date?

    /// Reads the document of the service; nil if it has no id.
    init?(_ document: JSONValue) {
        guard let id = document["localId"]?.string, !id.isEmpty else { return nil }
        self.id = Person.ID(id)
        email = document["email"]?.string
        isEmailVerified = document["emailVerified"]?.bool ?? false
        name = document["displayName"]?.string
        providers = document["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string } ?? []
        createdAt = Self.time(document["createdAt"])
        lastSignInAt = Self.time(document["lastLoginAt"])
    }

    private static func time(_ value: JSONValue?) -> Date? {
        value?.string.flatMap { Int64($0) }.map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }
}
