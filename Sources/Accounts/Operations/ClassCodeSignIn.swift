import Model
import TreeModel

/// Signs in people without an e-mail address, or creates their accounts, by the code of their class, their name and a
/// picture (`accounts:signInWithClassCode`).
struct ClassCodeSignIn: Sendable {
    let parts: IdentityParts

    func run(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        let text = try request.string("invitation", missing: "INVITATION", maxBytes: InvitationCode.maxTextBytes)
        let isNew = try request.bool("isNew") ?? false
        guard let picture = ClassPicture(rawValue: try request.string("picture", missing: "PICTURE")) else {
            throw .invalidValue("picture")
        }
        let name = try request.string("displayName", missing: "DISPLAY_NAME")
        let code = try InvitationCode(parsing: text, at: parts.settings.origin)
        let address = parts.slowsDown(request.caller) ? request.caller.address : nil
        let invitation = try await parts.invitations.check(code, isUsedUpToo: !isNew, from: address).invitation
        guard invitation.isWithoutAddress, let audience = invitation.audience else { throw .invitationNeedsAddress }
        let child = try ClassName(name, in: audience)
        let signedIn =
            isNew ? try await create(child, picture, code, request) : try await signIn(child, picture, request)
        var members = try parts.tokens.members(for: signedIn)
        members["localId"] = .string(signedIn.account.uid)
        members["displayName"] = signedIn.account.displayName.map(JSONValue.string)
        members["isNewUser"] = .bool(isNew)
        return .object(members)
    }

    private func create(
        _ child: ClassName, _ picture: ClassPicture, _ code: InvitationCode, _ request: IdentityRequest
    ) async throws(IdentityError) -> SignedIn {
        guard parts.settings.allowsInvitedSignUp else { throw .operationNotAllowed }
        if parts.slowsDown(request.caller) { try parts.throttle.signUp(from: request.caller.address) }
        let identity = child.identity
        guard try await parts.store.account(provider: identity.provider, rawID: identity.rawID) == nil else {
            throw .nameTaken
        }
        let hash = try await parts.passwords.hash(picture.password(of: identity), for: request.caller.address)
        let token = try SignUp.newToken(of: try SignUp.newID())
        return try await parts.store.transact { transaction in
            guard try transaction.reader.account(provider: identity.provider, rawID: identity.rawID) == nil else {
                throw IdentityError.nameTaken
            }
            var account = Account(selfMadeWith: token.uid, createdAt: transaction.now)
            account.displayName = child.text
            account.passwordHash = hash
            account.link(identity)
            try Invitation.use(code, for: &account, in: &transaction)
            return try transaction.signIn(account, inPlaceOf: nil, with: token, provider: ClassName.provider)
        }
    }

    /// Signs in a child. A name that the class does not have is refused with the same error as a wrong picture, and
    /// after the same work.
    private func signIn(
        _ child: ClassName, _ picture: ClassPicture, _ request: IdentityRequest
    ) async throws(IdentityError) -> SignedIn {
        let identity = child.identity
        let isSlowedDown = parts.slowsDown(request.caller)
        if isSlowedDown { try parts.throttle.beginPicture(of: identity.rawID, in: child.audience.description) }
        let known = try await parts.store.account(provider: identity.provider, rawID: identity.rawID)
        let comparison = try await parts.passwords.compare(
            picture.password(of: identity), with: known?.passwordHash, for: request.caller.address)
        guard comparison != .wrong, let known else { throw .invalidCredentials }
        if isSlowedDown { parts.throttle.pictureWasRight(of: identity.rawID, in: child.audience.description) }
        let token = try SignUp.newToken(of: known.uid)
        return try await parts.store.transact { transaction in
            let account = try transaction.account(token.uid)
            // The picture may have been changed during the comparison, or the child removed from the class.
            guard account.passwordHash == known.passwordHash, let uid = UserID(account.uid),
                try transaction.invitations.role(of: uid, in: child.audience) != nil
            else { throw IdentityError.invalidCredentials }
            return try transaction.signIn(account, inPlaceOf: account, with: token, provider: ClassName.provider)
        }
    }
}

extension IdentityError {
    static let nameTaken = IdentityError("NAME_EXISTS")
    static let invitationNeedsAddress = IdentityError("INVITATION_NEEDS_ADDRESS")
}
