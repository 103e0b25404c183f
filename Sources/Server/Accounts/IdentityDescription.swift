import API
import Accounts
import HTTPTypes
package import Requests
import TreeModel

/// The description of the identity endpoints that apps use, with the fields that Firebase's SDKs send and read. The
/// operations of administrators are those of firebase-admin, and are not described.
extension IdentityResponder {
    package static func describe(in routes: inout RouteTable) {
        for operation in operations {
            routes.describe(operation.path, [.post: operation.endpoint])
        }
    }

    private struct Operation {
        let path: String
        let endpoint: Endpoint

        init(
            _ path: String, _ name: String, _ summary: String, details: String = "",
            parameters: [Parameter] = [], type: String = "application/json", request: Schema, answer: Schema
        ) {
            self.path = path
            endpoint = Endpoint(
                elsewhere: name, in: .accounts, summary, details: details,
                [.query("key", .text, "the key of the project in Firebase's settings; any text, or none")]
                    + parameters,
                body: [type: request], answers: [.json(answer)], errors: [.badToken, .tooManyRequests], problem: error)
        }

        init(
            account name: String, _ identifier: String, _ summary: String, details: String = "", request: Schema,
            answer: Schema
        ) {
            self.init(
                "/identitytoolkit.googleapis.com/v1/accounts:\(name)", identifier, summary, details: details,
                request: request, answer: answer)
        }

        init(
            passkey name: String, _ identifier: String, _ summary: String, details: String = "", request: Schema,
            answer: Schema
        ) {
            self.init(
                "/identitytoolkit.googleapis.com/v2/accounts/\(name)", identifier, summary, details: details,
                request: request, answer: answer)
        }
    }

    private static let operations = accountOperations + passkeyOperations + tokenOperations

    private static let accountOperations = [
        Operation(
            account: "signUp", "signUp", "Create an account, and sign in to it",
            details: "Without an address the account is anonymous. An invitation needs an address.",
            request: .object(
                ["email": .text, "password": .text, "displayName": .text, "idToken": .text, "invitation": .text]
                    + returned, isOpen: true
            ).named("SignUpRequest"), answer: signIn),
        Operation(
            account: "signInWithPassword", "signInWithPassword", "Sign in with an e-mail address and a password",
            request: .object(
                ["email": .text, "password": .text] + returned, required: ["email", "password"], isOpen: true
            ).named("SignInRequest"), answer: signIn),
        Operation(
            account: "signInWithCustomToken", "signInWithCustomToken", "Sign in with a custom token",
            request: .object(["token": .text] + returned, required: ["token"], isOpen: true)
                .named("CustomTokenSignInRequest"), answer: signIn),
        Operation(
            account: "signInWithClassCode", "signInWithClassCode", "Sign in without an address, with a class code",
            details: "People of a class, such as children, have a name and a picture, and no address.",
            request: .object(
                ["invitation": .text, "displayName": .text, "picture": .one(of: ClassPicture.self), "isNew": .flag],
                required: ["invitation", "displayName", "picture"], isOpen: true
            ).named("ClassCodeSignInRequest"), answer: signIn),
        Operation(
            account: "lookup", "lookUpAccount", "Look up the account of an ID token",
            request: token("AccountLookupRequest"),
            answer: .object(["users": .list(of: account)], isOpen: true).named("AccountLookupResponse")),
        Operation(
            account: "update", "updateAccount", "Change the account of an ID token, or use a code",
            details: "A new address or password ends all sessions, and new tokens are returned.",
            request: .object(
                [
                    "idToken": .text, "oobCode": .text, "email": .text, "password": .text, "displayName": .text,
                    "photoUrl": .text, "deleteAttribute": .list(of: .text), "deletePasskey": .list(of: .text),
                ] + returned, isOpen: true
            ).named("AccountUpdateRequest"),
            answer: .object(
                [
                    "localId": .text, "email": .text, "emailVerified": .flag, "displayName": .text, "photoUrl": .text,
                    "idToken": .text, "refreshToken": .text, "expiresIn": .text,
                    "providerUserInfo": .list(of: provider),
                ], required: ["localId"], isOpen: true
            ).named("AccountUpdateResponse")),
        Operation(
            account: "delete", "deleteAccount", "Delete the account of an ID token",
            request: token("AccountDeletionRequest"),
            answer: .object(["kind": .text], isOpen: true).named("AccountDeletionResponse")),
        Operation(
            account: "sendOobCode", "sendCode", "Send a message with a code",
            details: "A code resets a password, confirms an address, changes an address, or signs in.",
            request: .object(
                [
                    "requestType": codeKind, "email": .text, "newEmail": .text, "idToken": .text, "continueUrl": .text,
                ], required: ["requestType"], isOpen: true
            ).named("CodeRequest"),
            answer: .object(["email": .text], required: ["email"], isOpen: true).named("CodeResponse")),
        Operation(
            account: "resetPassword", "resetPassword", "Set a password with a code, or check the code",
            request: .object(["oobCode": .text, "newPassword": .text], required: ["oobCode"], isOpen: true)
                .named("PasswordResetRequest"),
            answer: .object(
                ["requestType": codeKind, "email": .text, "newEmail": .text], required: ["requestType"], isOpen: true
            ).named("PasswordResetResponse")),
    ]

    private static let passkeyOperations = [
        Operation(
            passkey: "passkeyEnrollment:start", "beginPasskeyEnrollment", "Get a challenge for a new passkey",
            details: "The answer has the options of WebAuthn, with bytes in Base64.",
            request: token("PasskeyEnrollmentStart"),
            answer: .object(["credentialCreationOptions": creation], required: ["credentialCreationOptions"])
                .named("PasskeyEnrollmentOptions")),
        Operation(
            passkey: "passkeyEnrollment:finalize", "addPasskey", "Add a passkey to an account",
            request: .object(
                [
                    "idToken": .text, "name": .text,
                    "authenticatorRegistrationResponse": response(
                        "AuthenticatorRegistration", ["clientDataJSON", "attestationObject"]),
                ], required: ["idToken", "authenticatorRegistrationResponse"], isOpen: true
            ).named("PasskeyEnrollmentRequest"), answer: signIn),
        Operation(
            passkey: "passkeySignIn:start", "beginPasskeySignIn", "Get a challenge for a sign-in with a passkey",
            request: .object([:], isOpen: true).named("PasskeySignInStart"),
            answer: .object(["credentialRequestOptions": assertion], required: ["credentialRequestOptions"])
                .named("PasskeySignInOptions")),
        Operation(
            passkey: "passkeySignIn:finalize", "signInWithPasskey", "Sign in with a passkey",
            request: .object(
                [
                    "authenticatorAuthenticationResponse": response(
                        "AuthenticatorAuthentication", ["authenticatorData", "clientDataJSON", "signature"],
                        optional: ["userHandle"])
                ], required: ["authenticatorAuthenticationResponse"], isOpen: true
            ).named("PasskeySignInRequest"), answer: signIn),
    ]

    private static let tokenOperations = [
        Operation(
            "/securetoken.googleapis.com/v1/token", "refreshToken", "Exchange a refresh token for new tokens",
            details: "A repetition with the same key gets the same refresh token again, until that is used.",
            parameters: [
                .header(
                    "Idempotency-Key", .text(matching: ClientReference.pattern),
                    "a key by which a repeated request is recognised")
            ],
            type: "application/x-www-form-urlencoded",
            request: .object(
                ["grant_type": .words("refresh_token"), "refresh_token": .text],
                required: ["grant_type", "refresh_token"], isOpen: true
            ).named("TokenRefreshRequest"),
            answer: .object(
                [
                    "id_token": .text, "access_token": .text, "refresh_token": .text, "expires_in": .text,
                    "token_type": .text, "user_id": .text, "project_id": .text,
                ], required: ["id_token", "refresh_token", "expires_in", "user_id"], isOpen: true
            ).named("TokenRefreshResponse"))
    ]

    // MARK: Schemas

    private static let returned: [String: Schema] = ["returnSecureToken": .flag]

    private static let codeKind = Schema.words(
        "PASSWORD_RESET", "VERIFY_EMAIL", "VERIFY_AND_CHANGE_EMAIL", "EMAIL_SIGNIN"
    ).named("CodeKind")

    private static func token(_ name: String) -> Schema {
        .object(["idToken": .text], required: ["idToken"], isOpen: true).named(name)
    }

    private static let signIn = Schema.object(
        [
            "idToken": .text, "refreshToken": .text, "expiresIn": .text, "localId": .text, "email": .text,
            "displayName": .text, "isNewUser": .flag, "registered": .flag,
        ], required: ["idToken", "refreshToken", "expiresIn"], isOpen: true
    ).named("SignInResponse")

    private static let account = Schema.object(
        [
            "localId": .text, "email": .text, "emailVerified": .flag, "displayName": .text, "photoUrl": .text,
            "createdAt": .text, "lastLoginAt": .text, "providerUserInfo": .list(of: provider),
            "passkeyInfo": .list(
                of: .object(["credentialId": .text, "name": .text], required: ["credentialId", "name"], isOpen: true)
                    .named("Passkey")),
        ], required: ["localId", "emailVerified"], isOpen: true
    ).named("Account")

    private static let creation = Schema.object(
        [
            "rp": .object(["id": .text, "name": .text], required: ["id"], isOpen: true).named("PasskeySite"),
            "user": .object(["id": .text, "name": .text, "displayName": .text], required: ["id"], isOpen: true)
                .named("PasskeyUser"),
            "challenge": .text,
        ], required: ["rp", "user", "challenge"], isOpen: true
    ).named("CredentialCreationOptions")

    private static let assertion = Schema.object(
        ["rpId": .text, "challenge": .text], required: ["rpId", "challenge"], isOpen: true
    ).named("CredentialRequestOptions")

    /// Returns the schema of an authenticator's response, whose fields are bytes in Base64 or base64url.
    private static func response(_ name: String, _ fields: [String], optional: [String] = []) -> Schema {
        let response = Schema.object(
            Dictionary((fields + optional).map { ($0, .text) }) { $1 }, required: fields, isOpen: true
        ).named("\(name)Response")
        return .object(["id": .text, "response": response], required: ["id", "response"], isOpen: true).named(name)
    }

    private static let provider = Schema.object(
        ["providerId": .text, "rawId": .text, "email": .text, "displayName": .text], required: ["providerId", "rawId"],
        isOpen: true
    ).named("AccountProvider")

    private static let error = Schema.object(
        [
            "error": .object(
                [
                    "code": .count, "message": .text,
                    "errors": .list(
                        of: .object(["message": .text, "reason": .text, "domain": .text], required: ["message"])
                            .named("IdentityErrorReason")),
                ], required: ["code", "message"]
            ).named("IdentityErrorDetails")
        ], required: ["error"]
    ).named("IdentityError")
}

private func + (fields: [String: Schema], more: [String: Schema]) -> [String: Schema] {
    fields.merging(more) { $1 }
}
