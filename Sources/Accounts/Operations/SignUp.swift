import Access
import Cryptography
import TreeModel

/// Creates accounts, and adds an e-mail address and a password to accounts without them (`accounts:signUp`).
struct SignUp: Sendable {
    /// The number of random bytes in an id of 28 characters; 20 characters would be enough against guessing.
    private static let idByteCount = 21

    let parts: IdentityParts

    /// Returns an id for a new account, which does not begin with a dash: commands would read such an id as an option.
    static func newID() throws(IdentityError) -> String {
        while true {
            guard let id = try? RandomText.make(bytes: idByteCount) else { throw .unavailable() }
            if !id.hasPrefix("-") { return id }
        }
    }

    /// Returns the first token of a new session.
    static func newToken(of uid: String) throws(IdentityError) -> RefreshToken {
        guard let token = try? RefreshToken(of: uid) else { throw .unavailable() }
        return token
    }

    func run(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        guard !request.caller.isAdmin || request.body["idToken"] != nil else {
            return try await AccountCreation(parts: parts).run(request)
        }
        guard request.body["localId"] == nil else { throw IdentityError("UNEXPECTED_PARAMETER : User ID") }
        let hasPassword = ["idToken", "email", "password"].contains { request.body[$0] != nil }
        guard hasPassword else { return try await anonymous(request) }
        let settings = parts.settings
        // An empty text is no invitation.
        let isInvited = try request.string("invitation")?.isEmpty == false
        // Whether the owner of a token may, depends on the account.
        let isLinked = request.body["idToken"] != nil
        guard settings.allowsEmailSignUp || request.caller.isAdmin || isInvited || isLinked else {
            throw settings.closedSignUp
        }
        let email = try request.email(missing: "EMAIL")
        let password = try request.string("password", missing: "PASSWORD")
        try NewPassword.check(password)
        let code = try await parts.invitation(in: request, for: email)
        if isLinked { return try await link(request, email, password, code) }
        try slowDown(request)
        guard try await parts.store.account(email: email) == nil else { throw .emailExists }
        let hashed = try await NewPassword(password, for: request.caller.address, by: parts.passwords)
        let displayName = try RequestedProfile(in: request).displayName
        let token = try Self.newToken(of: try Self.newID())
        let signedIn = try await parts.store.transact { transaction in
            var account = Account(selfMadeWith: token.uid, createdAt: transaction.now)
            account.email = email
            account.displayName = displayName
            hashed?.apply(to: &account, isNew: true, at: transaction.now)
            if let code { try Invitation.use(code, for: &account, in: &transaction) }
            return try transaction.signIn(account, inPlaceOf: nil, with: token, provider: "password")
        }
        return try answer(signedIn)
    }

    /// Creates an anonymous account.
    private func anonymous(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        guard request.body["invitation"] == nil else { throw .missing("EMAIL") }
        guard parts.settings.allowsAnonymousSignUp else { throw IdentityError("ADMIN_ONLY_OPERATION") }
        try slowDown(request)
        let token = try Self.newToken(of: try Self.newID())
        let signedIn = try await parts.store.transact { transaction in
            let account = Account(selfMadeWith: token.uid, createdAt: transaction.now)
            return try transaction.signIn(account, inPlaceOf: nil, with: token, provider: "anonymous")
        }
        return try answer(signedIn)
    }

    /// Adds an address and a password to the account of a token.
    private func link(
        _ request: IdentityRequest, _ email: EmailAddress, _ password: String, _ code: InvitationCode?
    ) async throws(IdentityError) -> JSONValue {
        let proof = try await parts.tokens.proof(in: request)
        if !parts.settings.isEmulator { try parts.tokens.checkMayChangeSignIn(proof) }
        let settings = parts.settings
        guard request.caller.isAdmin || code != nil || !settings.isClosed(to: proof.account) else {
            throw settings.closedSignUp
        }
        try slowDown(request)
        if let other = try await parts.store.account(email: email), other.uid != proof.account.uid {
            throw .emailExists
        }
        let hashed = try await NewPassword(password, for: request.caller.address, by: parts.passwords)
        let displayName = try RequestedProfile(in: request).displayName
        let token = try Self.newToken(of: proof.account.uid)
        let signedIn = try await parts.store.transact { transaction in
            let old = try transaction.account(provedBy: proof)
            var account = old
            if account.email != email { account.isEmailVerified = false }
            account.email = email
            account.displayName = displayName ?? account.displayName
            hashed?.apply(to: &account, at: transaction.now)
            if let code { try Invitation.use(code, for: &account, in: &transaction) }
            return try transaction.signIn(
                account, inPlaceOf: old, with: token, provider: "password",
                claims: try transaction.addedClaims(of: proof))
        }
        return try answer(signedIn)
    }

    private func slowDown(_ request: IdentityRequest) throws(IdentityError) {
        if parts.slowsDown(request.caller) { try parts.throttle.signUp(from: request.caller.address) }
    }

    private func answer(_ signedIn: SignedIn) throws(IdentityError) -> JSONValue {
        var members = try parts.tokens.members(for: signedIn)
        members["kind"] = "identitytoolkit#SignupNewUserResponse"
        members["localId"] = .string(signedIn.account.uid)
        members["email"] = signedIn.account.email.map { .string($0.description) }
        members["displayName"] = signedIn.account.displayName.map(JSONValue.string)
        return .object(members)
    }
}
