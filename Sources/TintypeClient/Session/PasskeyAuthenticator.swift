#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Makes passkeys on a device, and signs with them, after the person has agreed: `SystemPasskeyAuthenticator`, or one of an
/// app's tests.
public protocol PasskeyAuthenticator: Sendable {
    /// Makes a passkey.
    func makePasskey(_ options: PasskeyOptions) async throws -> NewPasskey

    /// Signs a challenge with a passkey that the person chooses.
    func sign(_ challenge: PasskeyChallenge) async throws -> PasskeySignature
}

/// The options of the service for a passkey that will be made.
public struct PasskeyOptions: Hashable, Sendable {
    /// The challenge of the service, and the host.
    public var challenge: PasskeyChallenge
    /// The id by which the device knows the account.
    public var userID: Data
    /// The address or the name of the account, which the device shows.
    public var userName: String

    /// Creates options.
    public init(challenge: PasskeyChallenge, userID: Data, userName: String) {
        (self.challenge, self.userID, self.userName) = (challenge, userID, userName)
    }
}

/// A challenge of the service, which is good once, for five minutes.
public struct PasskeyChallenge: Hashable, Sendable {
    /// The host to which the passkeys belong; an app must be associated with it.
    public var site: String
    /// The bytes to be signed.
    public var bytes: Data

    /// Creates a challenge.
    public init(site: String, bytes: Data) { (self.site, self.bytes) = (site, bytes) }
}

/// A passkey that a device has made.
public struct NewPasskey: Hashable, Sendable {
    /// The id of the passkey.
    public var id: Data
    /// The statement of the system (`clientDataJSON`).
    public var clientData: Data
    /// The statement of the device with the public key (`attestationObject`).
    public var attestation: Data

    /// Creates a passkey.
    public init(id: Data, clientData: Data, attestation: Data) {
        (self.id, self.clientData, self.attestation) = (id, clientData, attestation)
    }
}

/// A signature by a passkey.
public struct PasskeySignature: Hashable, Sendable {
    /// The id of the passkey.
    public var id: Data
    /// The statement of the system (`clientDataJSON`).
    public var clientData: Data
    /// The statement of the device (`authenticatorData`).
    public var authenticatorData: Data
    /// The signature of both.
    public var signature: Data
    /// The id by which the device knows the account; nil if it does not say.
    public var userID: Data?

    /// Creates a signature.
    public init(id: Data, clientData: Data, authenticatorData: Data, signature: Data, userID: Data? = nil) {
        (self.id, self.clientData, self.authenticatorData) = (id, clientData, authenticatorData)
        (self.signature, self.userID) = (signature, userID)
    }
}

/// A passkey of an account, as the service has it.
public struct Passkey: Hashable, Sendable, Identifiable {
    /// The id of the passkey, in Base64.
    public var id: String
    /// The name that the person gave to it.
    public var name: String

    /// Creates a passkey.
    public init(id: String, name: String) { (self.id, self.name) = (id, name) }
}
