/// The operations on accounts that clients and administrators may request.
package enum IdentityOperation: String, Sendable, CaseIterable {
    // The operations of apps.
    case signUp, signInWithPassword, signInWithCustomToken, signInWithIdp, signInWithEmailLink, signInWithClassCode
    case lookup, update, delete, createAuthUri, sendOobCode, resetPassword
    case startPasskeyEnrollment, finalizePasskeyEnrollment, startPasskeySignIn, finalizePasskeySignIn
    /// The public settings of the project.
    case project
    /// New tokens in exchange for a refresh token.
    case token
    // The operations of administrators, who may also look up, update and delete any account.
    case create, query, batchGet, batchCreate, batchDelete
    /// A token for any user, which Firebase's administrators sign themselves.
    case issueToken
    // The operations of emulators.
    case deleteAll, oobCodes, config, updateConfig, createSessionCookie

    /// The operation at `/identitytoolkit.googleapis.com/v1/accounts:NAME`; nil for an unknown name.
    package init?(clientName name: String) {
        guard let operation = Self(rawValue: name), Self.ofClients.contains(operation) else { return nil }
        self = operation
    }

    /// The operation at `/www.googleapis.com/identitytoolkit/v3/relyingparty/NAME`, the older path of the same; nil for
    /// an unknown name.
    package init?(olderName name: String) {
        guard let operation = Self.olderNames[name] else { return nil }
        self = operation
    }

    /// The operation at `/identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts:NAME`; the empty name is the path
    /// without a colon. nil for an unknown name.
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

    /// The operation at `/identitytoolkit.googleapis.com/v2/accounts/NAME`; nil for an unknown name.
    package init?(newerName name: String) {
        guard let operation = Self.newerNames[name] else { return nil }
        self = operation
    }

    private static let ofClients: Set<Self> = [
        .signUp, .signInWithPassword, .signInWithCustomToken, .signInWithIdp, .signInWithEmailLink,
        .signInWithClassCode, .lookup, .update, .delete, .createAuthUri, .sendOobCode, .resetPassword,
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

    private static let newerNames: [String: Self] = [
        "passkeyEnrollment:start": .startPasskeyEnrollment, "passkeyEnrollment:finalize": .finalizePasskeyEnrollment,
        "passkeySignIn:start": .startPasskeySignIn, "passkeySignIn:finalize": .finalizePasskeySignIn,
    ]

    /// Whether apps cannot request it.
    var isOfAdmins: Bool { needsAdmin || needsEmulator }

    /// Whether it requires an administrator.
    var needsAdmin: Bool {
        switch self {
        case .create, .query, .batchGet, .batchCreate, .batchDelete, .issueToken: true
        default: false
        }
    }

    /// Whether it requires an emulator.
    var needsEmulator: Bool {
        switch self {
        case .deleteAll, .oobCodes, .config, .updateConfig, .createSessionCookie: true
        default: false
        }
    }

    /// Whether it changes accounts.
    var isChange: Bool {
        switch self {
        case .lookup, .createAuthUri, .project, .query, .batchGet, .oobCodes, .config, .createSessionCookie,
            .startPasskeyEnrollment, .startPasskeySignIn:
            false
        default: true
        }
    }
}
