/// What a request shows of who sends it.
package struct Credentials: Sendable {
    /// Whether it comes over the Unix socket, whose file mode says who may use it.
    package let isTrusted: Bool
    /// The bearer token that it carries (RFC 6750); nil for none.
    package let token: String?
    /// Whether a web page that another machine serves makes a browser send it.
    package let isFromForeignPage: Bool

    package init(isTrusted: Bool, token: String?, isFromForeignPage: Bool) {
        self.isTrusted = isTrusted
        self.token = token
        self.isFromForeignPage = isFromForeignPage
    }
}

/// Decides as whom a request acts: whoever reaches the Unix socket is the owner, and over TCP the operator decides who is
/// let in.
package struct AccessPolicy: Sendable {
    /// Whether everybody on this machine may use the database, as with Firebase's emulator.
    private let isEmulator: Bool
    /// The token of the owner over TCP; nil for none.
    private let secret: Secret?

    package init(isEmulator: Bool, secret: Secret?) {
        self.isEmulator = isEmulator
        self.secret = secret
    }

    /// The identity that a request with these credentials acts as.
    ///
    /// The word `owner` is known to everybody, so an emulator does not believe it of pages of other machines.
    ///
    /// - Throws: ``AccessError`` for a request that is not let in.
    package func identity(for credentials: Credentials) throws(AccessError) -> Identity {
        guard !credentials.isTrusted else { return .admin }
        guard let token = credentials.token else {
            guard isEmulator else { throw .denied }
            return .anonymous
        }
        if let secret, secret.matches(token) { return .admin }
        switch token {
        case "owner" where isEmulator: return credentials.isFromForeignPage ? .anonymous : .admin
        case _ where isEmulator && Self.looksLikeJWT(token): return .anonymous
        default: throw .badToken(.malformed)
        }
    }

    /// Whether the token has three parts with dots between (RFC 7515 §7.1); the last is empty when nothing signs it.
    private static func looksLikeJWT(_ token: String) -> Bool {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 && !parts[0].isEmpty && !parts[1].isEmpty
    }
}
