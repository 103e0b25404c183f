import Cryptography
import TreeModel

/// Signs in with a passkey (`accounts/passkeySignIn:start` and `:finalize`).
struct PasskeySignIn: Sendable {
    let parts: IdentityParts

    /// Returns the options for a signature, with a challenge. The person chooses the passkey, and with it the account.
    func start(_ request: IdentityRequest) throws(IdentityError) -> JSONValue {
        let site = try PasskeySite(parts.settings, for: request.caller)
        if parts.slowsDown(request.caller) { try parts.throttle.challenge(from: request.caller.address) }
        let challenge = try parts.challenges.make(for: .signIn, at: parts.store.now)
        return [
            "credentialRequestOptions": [
                "rpId": .string(site.id), "challenge": PasskeyEnrollment.text(challenge),
                "userVerification": "required", "timeout": .integer(Int(PasskeyChallenges.lifetime.milliseconds)),
            ]
        ]
    }

    /// Checks the signature, and opens a session.
    func finish(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        let site = try PasskeySite(parts.settings, for: request.caller)
        let response = try PasskeyResponse("authenticatorAuthenticationResponse", of: request)
        let address = request.caller.address
        let isSlowedDown = parts.slowsDown(request.caller)
        if isSlowedDown { try parts.throttle.beginPasskey(response.id, from: address) }
        let client = try PasskeyClientData(try response.bytes("clientDataJSON"), of: .signIn, at: site)
        guard parts.challenges.take(client.challenge, for: .signIn, at: parts.store.now) else {
            throw .badPasskey("the challenge is not known, was used, or has expired")
        }
        guard let known = try await parts.store.account(passkey: response.id),
            let passkey = known.passkeys.first(where: { $0.id == response.id })
        else { throw .passkeyNotFound }
        let data = try checked(response, client, of: passkey, uid: known.uid, at: site)
        if isSlowedDown { parts.throttle.passkeyWasRight(response.id, from: address) }
        let token = try SignUp.newToken(of: known.uid)
        let signedIn = try await parts.store.transact { transaction in
            let old = try transaction.account(token.uid)
            // The passkey may have been removed, or used, since it was read.
            guard let index = old.passkeys.firstIndex(where: { $0.id == passkey.id }),
                old.passkeys[index].publicKey == passkey.publicKey
            else { throw IdentityError.passkeyNotFound }
            var account = old
            guard account.passkeys[index].use(counter: data.counter, at: transaction.now) else {
                throw IdentityError.badPasskey(
                    "the counter has not grown", reason: "there may be a copy of a passkey of \(old.uid)")
            }
            return try transaction.signIn(account, inPlaceOf: old, with: token, provider: Passkey.provider)
        }
        var members = try parts.tokens.members(for: signedIn)
        members["localId"] = .string(signedIn.account.uid)
        return .object(members)
    }

    /// Returns the statement of the authenticator, whose signature has been checked.
    ///
    /// - Throws: `INVALID_AUTHENTICATOR_RESPONSE`.
    private func checked(
        _ response: PasskeyResponse, _ client: PasskeyClientData, of passkey: Passkey, uid: String, at site: PasskeySite
    ) throws(IdentityError) -> AuthenticatorData {
        let bytes = try response.bytes("authenticatorData")
        guard let data = AuthenticatorData(bytes), data.credential == nil else {
            throw .badPasskey("authenticatorData cannot be read")
        }
        try data.check(at: site)
        if let handle = try response.optional("userHandle"), handle != Passkey.handle(of: uid) {
            throw .badPasskey("it is for another account")
        }
        let signature = try response.bytes("signature")
        guard passkey.key?.isSignature(signature, of: bytes + client.hash) == true else {
            throw .badPasskey("the signature is wrong")
        }
        return data
    }
}
