import Access
import Cryptography
import Foundation
import TreeModel

/// Adds a passkey to the account of a token (`accounts/passkeyEnrollment:start` and `:finalize`).
struct PasskeyEnrollment: Sendable {
    let parts: IdentityParts

    /// Returns the options for a new credential, with a challenge that only this account can answer.
    func start(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        let proof = try await proof(in: request)
        let site = try PasskeySite(parts.settings, for: request.caller)
        let account = proof.account
        try Self.checkRoom(in: account)
        if parts.slowsDown(request.caller) { try parts.throttle.challenge(from: request.caller.address) }
        let challenge = try parts.challenges.make(for: .enrollment(.init(account)), at: parts.store.now)
        let name = account.email?.description ?? account.displayName ?? account.uid
        let known = account.passkeys.map { passkey -> JSONValue in
            ["type": "public-key", "id": .string(passkey.shownID)]
        }
        return [
            "credentialCreationOptions": [
                "rp": ["id": .string(site.id), "name": .string(site.id)],
                "user": [
                    "id": Self.text(Passkey.handle(of: account.uid)), "name": .string(name),
                    "displayName": .string(account.displayName ?? name),
                ],
                "challenge": Self.text(challenge),
                "pubKeyCredParams": [["type": "public-key", "alg": -7]],
                "excludeCredentials": .list(known),
                "authenticatorSelection": ["residentKey": "required", "userVerification": "required"],
                "attestation": "none", "timeout": .integer(Int(PasskeyChallenges.lifetime.milliseconds)),
            ]
        ]
    }

    /// Checks the new credential, adds it to the account, and opens a session.
    func finish(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        let proof = try await proof(in: request)
        let site = try PasskeySite(parts.settings, for: request.caller)
        let name = try Passkey.name(in: request)
        let response = try PasskeyResponse("authenticatorRegistrationResponse", of: request)
        let client = try PasskeyClientData(try response.bytes("clientDataJSON"), of: .enrollment, at: site)
        let now = parts.store.now
        guard parts.challenges.take(client.challenge, for: .enrollment(.init(proof.account)), at: now) else {
            throw .badPasskey("the challenge is not known, was used, or has expired")
        }
        let data = try Self.statement(in: try response.bytes("attestationObject"))
        try data.check(at: site)
        guard let credential = data.credential else { throw .badPasskey("it has no credential") }
        let passkey = Passkey(credential, name: name, counter: data.counter, at: now)
        guard passkey.id == response.id else { throw .badPasskey("it has another id") }
        let token = try SignUp.newToken(of: proof.account.uid)
        let signedIn = try await parts.store.transact { transaction in
            let old = try transaction.account(provedBy: proof)
            try Self.checkRoom(in: old)
            guard try transaction.reader.account(passkey: passkey.id) == nil else { throw IdentityError.passkeyExists }
            var account = old
            account.passkeys.append(passkey)
            return try transaction.signIn(
                account, inPlaceOf: old, with: token, provider: Passkey.provider,
                claims: try transaction.addedClaims(of: proof))
        }
        var members = try parts.tokens.members(for: signedIn)
        members["localId"] = .string(signedIn.account.uid)
        return .object(members)
    }

    /// Verifies the token of a person who may add a passkey.
    private func proof(in request: IdentityRequest) async throws(IdentityError) -> IDTokens.Proof {
        let proof = try await parts.tokens.proof(in: request)
        if !parts.settings.isEmulator { try parts.tokens.checkMayChangeSignIn(proof) }
        // An anonymous account does not become a member's by a passkey.
        let settings = parts.settings
        guard !settings.isClosed(to: proof.account) else { throw settings.closedSignUp }
        return proof
    }

    private static func checkRoom(in account: Account) throws(IdentityError) {
        guard account.passkeys.count < Passkey.maxPerAccount else {
            throw IdentityError("OPERATION_NOT_ALLOWED : An account has at most \(Passkey.maxPerAccount) passkeys")
        }
    }

    /// Reads the statement in an attestation (WebAuthn §6.5). The certificates of authenticators are ignored, as any
    /// authenticator is accepted.
    ///
    /// - Throws: `INVALID_AUTHENTICATOR_RESPONSE`.
    private static func statement(in attestation: [UInt8]) throws(IdentityError) -> AuthenticatorData {
        guard let object = CBORReader.value(of: attestation), object.members?.count == 3,
            let format = object["fmt"]?.text, let certificates = object["attStmt"]?.members,
            format != "none" || certificates.isEmpty,
            let data = object["authData"]?.bytes.flatMap(AuthenticatorData.init)
        else { throw .badPasskey("attestationObject cannot be read, or its key is not for ES256") }
        return data
    }

    /// Returns bytes in plain Base64, which Firebase's SDK for iOS decodes.
    static func text(_ bytes: [UInt8]) -> JSONValue { .string(Data(bytes).base64EncodedString()) }
}
