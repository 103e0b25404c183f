import Access
import Cryptography
import Foundation
import TreeModel

/// Requests codes by e-mail (`accounts:sendOobCode`), and returns the sign-in methods of an address
/// (`accounts:createAuthUri`).
struct CodeRequest: Sendable {
    let parts: IdentityParts

    /// Creates and sends a code, or returns its link to an administrator.
    func send(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        let type = try request.string("requestType", missing: "REQ_TYPE")
        guard let kind = ActionCode.Kind(rawValue: type) else {
            throw IdentityError("INVALID_REQ_TYPE : Unsupported request type.")
        }
        let returnsLink = try request.bool("returnOobLink") ?? false
        guard !returnsLink || request.caller.isAdmin else { throw .insufficientPermission }
        guard returnsLink || parts.codes.canSend else { throw .operationNotAllowed }
        let continueURL = try continueURL(in: request)
        let (email, owner) = try await account(for: kind, in: request)
        let newEmail = kind == .changeEmail ? try request.email("newEmail", missing: "NEW_EMAIL") : nil
        // Where accounts are hidden, the message is not sent instead of an error.
        if let newEmail, request.caller.isAdmin || !parts.hidesAccounts {
            guard try await parts.store.account(email: newEmail) == nil else { throw .emailExists }
        }
        let order = CodeOrder(kind: kind, email: email, newEmail: newEmail, owner: owner, continueURL: continueURL)
        var answer: JSONValue = [
            "kind": "identitytoolkit#GetOobConfirmationCodeResponse", "email": .string(email.description),
        ]
        if returnsLink {
            guard let message = try await parts.codes.make(order) else {
                throw kind == .resetPassword ? .emailNotFound : .userNotFound
            }
            answer["oobCode"] = .string(message.code)
            answer["oobLink"] = .string(message.link)
            return answer
        }
        if parts.slowsDown(request.caller) {
            try parts.throttle.code(to: newEmail ?? email, from: request.caller.address)
        }
        if !parts.hidesAccounts, order.needsAccount, try await parts.store.account(email: email) == nil {
            throw .emailNotFound
        }
        try parts.codes.send(order)
        // Tests with an emulator read the list of codes at once.
        if parts.settings.isEmulator { await parts.codes.drain() }
        return answer
    }

    /// Returns the address of the account that the code is for, and the account itself if it made the request.
    private func account(
        for kind: ActionCode.Kind, in request: IdentityRequest
    ) async throws(IdentityError) -> (EmailAddress, ActionCode.Owner?) {
        switch kind {
        case .signIn, .resetPassword:
            return (try request.email(missing: "EMAIL"), nil)
        case .verifyEmail, .changeEmail:
            if request.caller.isAdmin, request.body["idToken"] == nil {
                return (try request.email(missing: "EMAIL"), nil)
            }
            let proof = try await parts.tokens.proof(in: request)
            if kind == .changeEmail, !parts.settings.isEmulator { try parts.tokens.checkMayChangeSignIn(proof) }
            guard let email = proof.account.email else { throw .missing("EMAIL") }
            return (email, ActionCode.Owner(proof.account))
        }
    }

    /// Returns the page that the link finally continues to; its domain must be authorised by the operator.
    private func continueURL(in request: IdentityRequest) throws(IdentityError) -> String? {
        guard let text = try request.string("continueUrl", maxBytes: 2048), !text.isEmpty else { return nil }
        guard let url = URLComponents(string: text), let host = url.host, !host.isEmpty,
            url.scheme == "https" || url.scheme == "http", url.user == nil, url.password == nil
        else { throw IdentityError("INVALID_CONTINUE_URI") }
        guard parts.settings.isEmulator || parts.settings.authorizedDomains.contains(host.lowercased()) else {
            throw IdentityError("UNAUTHORIZED_DOMAIN : \(host)")
        }
        return text
    }

    /// Returns the sign-in methods of an address; only emulators reveal them.
    func methods(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        let identifier = try request.string("identifier", missing: "IDENTIFIER")
        _ = try request.string("continueUri", missing: "CONTINUE_URI")
        guard let email = EmailAddress(identifier) else { throw IdentityError("INVALID_IDENTIFIER") }
        guard let session = try? RandomText.make(bytes: 20) else { throw .unavailable() }
        var answer: JSONValue = ["kind": "identitytoolkit#CreateAuthUriResponse"]
        answer["sessionId"] = .string(try request.string("sessionId") ?? session)
        guard !parts.hidesAccounts else { return answer }
        let account = try await parts.store.account(email: email)
        var methods = account?.identities.map(\.provider) ?? []
        if account?.passwordHash != nil { methods.append("password") }
        if account?.signsInByEmailLink == true { methods.append("emailLink") }
        answer["registered"] = .bool(account != nil)
        answer["signinMethods"] = .list(methods.map(JSONValue.string))
        answer["allProviders"] = .list(methods.filter { $0 != "emailLink" }.map(JSONValue.string))
        return answer
    }
}
