import Access
import Model
import Tree
import TreeModel

/// The result of a sign-in or a refresh, from which the response's tokens are created.
struct SignedIn: Sendable {
    let account: Account
    let session: Session
    let refreshToken: RefreshToken
}

extension AccountTransaction {
    /// Opens a session of an account that the transaction has created or read; records the sign-in in the account.
    ///
    /// - Parameters:
    ///   - old: The stored account; nil for a new account.
    ///   - token: The first token.
    /// - Throws: `USER_DISABLED`, and the errors of `create` and `replace`.
    mutating func signIn(
        _ account: Account, inPlaceOf old: Account?, with token: RefreshToken, provider: String, claims: String? = nil
    ) throws -> SignedIn {
        guard !account.isDisabled else { throw IdentityError.userDisabled }
        var account = account
        account.lastSignInAt = now
        account.lastRefreshAt = now
        account = if let old { try replace(old, by: account) } else { try create(account) }
        let session = Session(
            of: token, at: max(now, Timestamp(seconds: account.minSignInSeconds)), provider: provider, claims: claims)
        if old != nil, try !endsSessions(of: account.uid) { try makeRoom(for: account.uid) }
        try setSession(token.session, of: account.uid, to: session)
        return SignedIn(account: account, session: session, refreshToken: token)
    }

    /// Returns the claims that a custom token added to the session of an ID token, for the session that replaces it.
    ///
    /// They are read from the session, because the ID token may contain claims that an administrator has removed since.
    /// If several sessions match and their claims differ, the result is nil.
    func addedClaims(of proof: IDTokens.Proof) throws -> String? {
        let path = AccountNodes.session(try AccountStore.key(of: proof.account.uid))
        let sessions = try reader.snapshot.children(of: path, limit: Session.maxPerAccount).compactMap { child in
            Session(child.value)
        }
        let meant = sessions.filter {
            $0.openedAt.seconds == proof.signInSeconds && $0.provider == proof.provider
        }
        let claims = Set(meant.map(\.claims))
        return claims.count == 1 ? claims.first ?? nil : nil
    }

    /// Ends the least recently used session of an account that has reached the limit.
    private mutating func makeRoom(for uid: String) throws {
        let path = AccountNodes.session(try AccountStore.key(of: uid))
        let sessions = try reader.snapshot.children(of: path, limit: Session.maxPerAccount)
        guard sessions.count >= Session.maxPerAccount else { return }
        let oldest = sessions.min { ($0.value["used"]?.integerValue ?? 0) < ($1.value["used"]?.integerValue ?? 0) }
        if let oldest { try setSession(oldest.key, of: uid, to: nil) }
    }
}

extension AccountStore {
    /// The result of a refresh.
    enum Refreshed: Sendable {
        case signedIn(SignedIn)
        /// The token had been replaced; its session has ended.
        case stolen(uid: String)
    }

    /// Uses a refresh token, and replaces it.
    ///
    /// - Parameters:
    ///   - key: The key of the refresh; nil for none.
    ///   - salt: Random text.
    /// - Throws: `INVALID_REFRESH_TOKEN`; `USER_DISABLED`; `TOKEN_EXPIRED` when the session has ended, also with its
    ///   account.
    func refresh(
        _ token: RefreshToken, key: RefreshKey?, salt: String
    ) async throws(IdentityError) -> Refreshed {
        try await transact { transaction in
            guard let uid = try? AccountStore.key(of: token.uid) else { throw IdentityError.invalidRefreshToken }
            let path = AccountNodes.session(uid) / token.session
            guard let record = try transaction.reader.snapshot.get(path), var session = Session(record) else {
                // An invalid token must not reveal whether the account exists or existed.
                throw IdentityError.tokenExpired
            }
            let account = try transaction.account(token.uid)
            guard !account.isDisabled else { throw IdentityError.userDisabled }
            guard !session.isExpired(at: transaction.now),
                session.openedAt.seconds >= account.minSignInSeconds
            else { throw IdentityError.tokenExpired }
            switch session.take(token, key: key, at: transaction.now, salt: salt) {
            case .replaced(let next):
                try transaction.setSession(token.session, of: token.uid, to: session)
                try transaction.noteRefresh(of: account)
                return .signedIn(SignedIn(account: account, session: session, refreshToken: next))
            case .repeated(let next):
                return .signedIn(SignedIn(account: account, session: session, refreshToken: next))
            case .stolen:
                try transaction.setSession(token.session, of: token.uid, to: nil)
                return .stolen(uid: token.uid)
            }
        }
    }
}
