/// What clients and administrators may ask for about accounts.
package enum IdentityOperation: String, Sendable, CaseIterable {
    // What apps ask for.
    case signUp, signInWithPassword, signInWithCustomToken, signInWithIdp, signInWithEmailLink
    case lookup, update, delete, createAuthUri, sendOobCode, resetPassword
    /// What a client may know of the project.
    case project
    /// New tokens for a refresh token.
    case token
    // What only administrators may ask for; besides, they look up, update and delete any account.
    case create, query, batchGet, batchCreate, batchDelete
    /// A token for anybody, which Firebase's administrators sign themselves.
    case issueToken
    // What only an emulator has.
    case deleteAll, oobCodes, config, updateConfig, createSessionCookie

    /// The operation behind `/identitytoolkit.googleapis.com/v1/accounts:NAME`; nil for a name that means none.
    package init?(clientName name: String) {
        guard let operation = Self(rawValue: name), Self.ofClients.contains(operation) else { return nil }
        self = operation
    }

    /// The operation behind `/www.googleapis.com/identitytoolkit/v3/relyingparty/NAME`, the older spelling of the same;
    /// nil for a name that means none.
    package init?(olderName name: String) {
        guard let operation = Self.olderNames[name] else { return nil }
        self = operation
    }

    /// The operation behind `/identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts:NAME`, the empty name being
    /// that without a colon; nil for a name that means none.
    package init?(adminName name: String) {
        guard !name.isEmpty else {
            self = .create
            return
        }
        guard let operation = Self(rawValue: name), Self.ofAdmins.contains(operation), operation != .create else {
            return nil
        }
        self = operation
    }

    private static let ofClients: Set<Self> = [
        .signUp, .signInWithPassword, .signInWithCustomToken, .signInWithIdp, .signInWithEmailLink, .lookup, .update,
        .delete, .createAuthUri, .sendOobCode, .resetPassword,
    ]

    private static let ofAdmins: Set<Self> = [
        .create, .lookup, .update, .delete, .query, .batchGet, .batchCreate, .batchDelete, .sendOobCode,
    ]

    private static let olderNames: [String: Self] = [
        "signupNewUser": .signUp, "verifyPassword": .signInWithPassword, "verifyCustomToken": .signInWithCustomToken,
        "verifyAssertion": .signInWithIdp, "emailLinkSignin": .signInWithEmailLink, "getAccountInfo": .lookup,
        "setAccountInfo": .update, "deleteAccount": .delete, "createAuthUri": .createAuthUri,
        "getOobConfirmationCode": .sendOobCode, "resetPassword": .resetPassword, "getProjectConfig": .project,
    ]

    /// Whether no app asks for it.
    var isOfAdmins: Bool { needsAdmin || needsEmulator }

    /// Whether only an administrator may.
    var needsAdmin: Bool {
        switch self {
        case .create, .query, .batchGet, .batchCreate, .batchDelete, .issueToken: true
        default: false
        }
    }

    /// Whether only an emulator does it.
    var needsEmulator: Bool {
        switch self {
        case .deleteAll, .oobCodes, .config, .updateConfig, .createSessionCookie: true
        default: false
        }
    }

    /// Whether it changes accounts.
    var isChange: Bool {
        switch self {
        case .lookup, .createAuthUri, .project, .query, .batchGet, .oobCodes, .config, .createSessionCookie: false
        default: true
        }
    }
}
