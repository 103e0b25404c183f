extension FieldDescription {
    /// The words for fields of passkeys, whose names are those of WebAuthn and of Firebase.
    static let passkeys: [String: String] = [
        "AuthenticatorAuthentication.id": "The id of the passkey, in Base64.",
        "AuthenticatorRegistration.id": "The id of the new passkey, in Base64.",
        "PasskeySite.id": "The host for which the passkey is made.",
        "PasskeyUser.displayName": "The name of the account, for people.",
        "PasskeyUser.id": "The id by which authenticators know the account, in Base64.",
        "PasskeyUser.name": "The address or the name of the account.",
        "CredentialCreationOptions.user": "The account.",
        "attestationObject": "The statement about the new passkey, in Base64.",
        "authenticatorAuthenticationResponse": "The answer of the device to the challenge.",
        "authenticatorData": "The statement of the device, in Base64.",
        "authenticatorRegistrationResponse": "The answer of the device, with the new passkey.",
        "challenge": "The challenge, in Base64; it can be answered once, for five minutes.",
        "clientDataJSON": "The statement of the app or the browser, in Base64.",
        "credentialCreationOptions": "The options for a new passkey, as in WebAuthn.",
        "credentialId": "The id of the passkey, in Base64.",
        "credentialRequestOptions": "The options for a signature, as in WebAuthn.",
        "deletePasskey": "The ids of passkeys to remove.",
        "passkeyInfo": "The passkeys; absent for none.",
        "response": "The statements.",
        "rp": "The site for which the passkey is made.",
        "rpId": "The host for which the passkey was made.",
        "signature": "The signature of the statements, in Base64.",
        "userHandle": "The id by which the device knows the account, in Base64.",
    ]
}
