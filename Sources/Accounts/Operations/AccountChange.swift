import TreeModel

/// The changes that the owner of an account may make, apart from the password.
struct AccountChange: Sendable {
    /// The attributes that can be deleted, by their protocol names.
    private enum Attribute: String, Sendable {
        case displayName = "DISPLAY_NAME"
        case photoURL = "PHOTO_URL"
        case password = "PASSWORD"
        case email = "EMAIL"
    }

    private let profile: RequestedProfile
    private let email: EmailAddress?
    private let deleted: [Attribute]
    private let unlinked: [String]
    private let deletedPasskeys: [String]

    /// - Throws: `INVALID_ARGUMENT`, `INVALID_EMAIL`, `INVALID_PHONE_NUMBER` or `PASSKEY_ENROLLMENT_NOT_FOUND`.
    init(in request: IdentityRequest) throws(IdentityError) {
        profile = try RequestedProfile(in: request)
        email = try request.email()
        deleted = try request.strings("deleteAttribute", maxCount: 20).map { (name) throws(IdentityError) in
            guard let attribute = Attribute(rawValue: name) else { throw .invalidValue("deleteAttribute") }
            return attribute
        }
        unlinked = try request.strings("deleteProvider", maxCount: 20)
        deletedPasskeys = try request.strings("deletePasskey", maxCount: Passkey.maxPerAccount).map {
            (text) throws(IdentityError) in
            guard let id = Passkey.id(sent: text) else { throw IdentityError.passkeyNotFound }
            return id
        }
    }

    /// Whether the change sets an e-mail address, so that its response reveals whether another account has it.
    var asksForAddress: Bool { email != nil }

    /// Whether it changes the methods of sign-in.
    var locksOthersOut: Bool {
        email != nil || !unlinked.isEmpty || !deletedPasskeys.isEmpty || deleted.contains(.password)
            || deleted.contains(.email)
    }

    /// Applies the change.
    ///
    /// - Throws: `PASSKEY_ENROLLMENT_NOT_FOUND`, before anything is changed, for a passkey that the account does not have.
    func apply(to account: inout Account) throws(IdentityError) {
        guard deletedPasskeys.allSatisfy({ id in account.passkeys.contains { $0.id == id } }) else {
            throw .passkeyNotFound
        }
        profile.apply(to: &account)
        if let email, email != account.email {
            account.email = email
            account.isEmailVerified = false
        }
        for attribute in deleted {
            switch attribute {
            case .displayName: account.displayName = nil
            case .photoURL: account.photoURL = nil
            case .password: Self.deletePassword(of: &account)
            case .email: Self.deleteEmail(of: &account)
            }
        }
        account.passkeys.removeAll { deletedPasskeys.contains($0.id) }
        account.identities.removeAll { unlinked.contains($0.provider) }
        if unlinked.contains("password") {
            Self.deletePassword(of: &account)
            Self.deleteEmail(of: &account)
        }
        if unlinked.contains("phone") { account.phoneNumber = nil }
    }

    private static func deletePassword(of account: inout Account) {
        account.passwordHash = nil
        account.passwordChangedAt = nil
    }

    private static func deleteEmail(of account: inout Account) {
        account.email = nil
        account.isEmailVerified = false
        account.signsInByEmailLink = false
    }
}

/// The changes that only an administrator may make.
struct AdminChange: Sendable {
    private let isEmailVerified: Bool?
    private let isDisabled: Bool?
    /// The claims, checked; the outer nil for no change.
    private let claims: String??
    private let validSinceSeconds: Int64?
    private let linked: FederatedIdentity?

    /// - Throws: `INVALID_ARGUMENT`, the errors of ``AccountClaims/checked(_:)``, `MISSING_PROVIDER_ID` or
    ///   `MISSING_RAW_ID`.
    init(in request: IdentityRequest) throws(IdentityError) {
        isEmailVerified = try request.bool("emailVerified")
        isDisabled = try request.bool("disableUser")
        if let text = try request.string("customAttributes") {
            claims = .some(text.isEmpty ? nil : try AccountClaims.checked(text))
        } else {
            claims = nil
        }
        validSinceSeconds = try request.integer("validSince")
        linked = try FederatedIdentity(inMember: "linkProviderUserInfo", of: request)
    }

    func apply(to account: inout Account, in old: Account, at now: Timestamp) {
        if let isEmailVerified { account.isEmailVerified = account.email != nil && isEmailVerified }
        account.isDisabled = isDisabled ?? old.isDisabled
        // All sessions end, both when the account is disabled and when it is enabled.
        if account.isDisabled != old.isDisabled { account.signOut(at: now) }
        if let claims { account.customClaims = claims }
        if let validSinceSeconds { account.signOut(at: now, beforeSeconds: validSinceSeconds) }
        if let linked { account.link(linked) }
    }
}

extension FederatedIdentity {
    /// Reads the identity in a member of a request; nil if the member is missing.
    ///
    /// - Throws: `MISSING_PROVIDER_ID`, `MISSING_RAW_ID` or `INVALID_ARGUMENT`.
    init?(inMember name: String, of request: IdentityRequest) throws(IdentityError) {
        guard let member = request.body[name] else { return nil }
        try self.init(in: IdentityRequest(body: member, caller: request.caller))
    }

    /// - Throws: `MISSING_PROVIDER_ID`, `MISSING_RAW_ID` or `INVALID_ARGUMENT`.
    init(in request: IdentityRequest) throws(IdentityError) {
        let profile = try RequestedProfile(in: request)
        self.init(
            provider: try request.string("providerId", missing: "PROVIDER_ID", maxBytes: Self.maxBytes),
            rawID: try request.string("rawId", missing: "RAW_ID", maxBytes: Self.maxBytes),
            email: try request.string("email"), displayName: profile.displayName, photoURL: profile.photoURL)
    }
}
