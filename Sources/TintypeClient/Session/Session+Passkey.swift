import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Passkeys: keys on the device, or in its cloud, in place of a password. They throw `Problem` with the codes of
/// `Problem.Code`, `TransportError`, `SessionError`, and the errors of the authenticator, such as that of a person who declines.
/// The service must have a public address.
extension Session {
    /// Signs in with a passkey that the person chooses on the device. It replaces the person who is signed in before, once the
    /// service has accepted it.
    ///
    /// - Parameter authenticator: The device's passkeys, such as `SystemPasskeyAuthenticator`.
    @discardableResult
    public func signInWithPasskey(with authenticator: some PasskeyAuthenticator) async throws -> Account {
        let options = try await identity.call("passkeySignIn:start", [:])["credentialRequestOptions"]
        let challenge = try PasskeyChallenge(site: options?["rpId"], options)
        let signature = try await authenticator.sign(challenge)
        let fields: [String: JSONValue?] = ["authenticatorAuthenticationResponse": signature.document]
        return try await tokens.signIn(try TokenGrant(try await identity.call("passkeySignIn:finalize", fields)))
    }

    /// Makes a passkey on the device, and adds it to the account that is signed in now, which keeps its id. The person must
    /// have signed in within the last five minutes.
    ///
    /// - Parameters:
    ///   - name: The name by which the person knows it; nil for a usual one.
    ///   - authenticator: The device's passkeys, such as `SystemPasskeyAuthenticator`.
    @discardableResult
    public func addPasskey(
        named name: String? = nil, with authenticator: some PasskeyAuthenticator
    ) async throws -> Account {
        let (started, generation) = try await tokens.callAsUser("passkeyEnrollment:start")
        let passkey = try await authenticator.makePasskey(try PasskeyOptions(started["credentialCreationOptions"]))
        let (answer, later) = try await tokens.callAsUser(
            "passkeyEnrollment:finalize",
            ["name": name.map(JSONValue.string), "authenticatorRegistrationResponse": passkey.document])
        // Somebody else may have signed in meanwhile.
        guard generation == later else { throw SessionError.signedOut }
        return try await tokens.signIn(try TokenGrant(answer), during: generation)
    }

    /// Returns the passkeys of the account, in the order in which they were added.
    public func passkeys() async throws -> [Passkey] {
        let user = try await tokens.callAsUser("lookup").answer["users"]?[0]
        return user?["passkeyInfo"]?.array?.compactMap { Passkey($0) } ?? []
    }

    /// Removes a passkey from the account. The device keeps its own part, which is of no use any more. The person must have
    /// signed in within the last five minutes.
    public func removePasskey(_ passkey: Passkey) async throws {
        _ = try await tokens.callAsUser("update", ["deletePasskey": [.string(passkey.id)]])
    }
}

// MARK: - The protocol

extension PasskeyChallenge {
    /// Reads the options of a ceremony.
    ///
    /// - Parameter site: The host in the options.
    /// - Throws: `TransportError`.
    fileprivate init(site: JSONValue?, _ options: JSONValue?) throws {
        guard let site = site?.string, !site.isEmpty, let bytes = options?["challenge"]?.base64, !bytes.isEmpty else {
            throw TransportError(.malformed, "the answer has no challenge")
        }
        self.init(site: site, bytes: bytes)
    }
}

extension PasskeyOptions {
    fileprivate init(_ options: JSONValue?) throws {
        let user = options?["user"]
        guard let id = user?["id"]?.base64, !id.isEmpty else {
            throw TransportError(.malformed, "the answer has no user")
        }
        self.init(
            challenge: try PasskeyChallenge(site: options?["rp"]?["id"], options), userID: id,
            userName: user?["name"]?.string ?? "")
    }
}

extension NewPasskey {
    fileprivate var document: JSONValue {
        [
            "id": .base64(id),
            "response": ["clientDataJSON": .base64(clientData), "attestationObject": .base64(attestation)],
        ]
    }
}

extension PasskeySignature {
    fileprivate var document: JSONValue {
        var response: [String: JSONValue] = [
            "clientDataJSON": .base64(clientData), "authenticatorData": .base64(authenticatorData),
            "signature": .base64(signature),
        ]
        response["userHandle"] = userID.map(JSONValue.base64)
        return ["id": .base64(id), "response": .object(response)]
    }
}

extension Passkey {
    /// Reads the document of the service; nil if it has no id.
    fileprivate init?(_ document: JSONValue) {
        guard let id = document["credentialId"]?.string, !id.isEmpty else { return nil }
        self.init(id: id, name: document["name"]?.string ?? "")
    }
}

extension JSONValue {
    /// The bytes of a text in Base64; nil for other values.
    fileprivate var base64: Data? { string.flatMap { Data(base64Encoded: $0) } }

    fileprivate static func base64(_ bytes: Data) -> JSONValue { .string(bytes.base64EncodedString()) }
}
