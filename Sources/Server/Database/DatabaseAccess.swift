import HTTPTypes

/// Who may use the database: whoever reaches the Unix socket, and over TCP whom the operator lets in.
struct DatabaseAccess: Sendable {
    /// Whether everybody on this machine may, as with Firebase's emulator.
    let isEmulator: Bool
    /// What others have to show; nil for nobody.
    let secret: Secret?

    init(_ settings: DatabaseSettings) {
        isEmulator = settings.isEmulator
        secret = settings.secret
    }

    /// As who a request is sent.
    enum Sender {
        /// May do everything.
        case owner
        /// Anybody else who is let in.
        case user
    }

    static let denied = ServerError(.permissionDenied, "Permission denied")

    /// As who a request is sent; over the Unix socket as the owner.
    ///
    /// The word `owner` is known to everybody, so that an emulator does not believe it of pages of other machines.
    ///
    /// - Throws: `ServerError` with the code `permission_denied` or `bad_token` for who is not let in.
    func sender(
        of request: HTTPRequest, _ parameters: DatabaseParameters, isTrusted: Bool
    ) throws(ServerError) -> Sender {
        guard !isTrusted else { return .owner }
        guard let token = Self.bearerToken(request.headerFields) ?? parameters.token else {
            guard isEmulator else { throw Self.denied }
            return .user
        }
        if let secret, Self.isEqual(token, secret.text) { return .owner }
        switch token {
        case "owner" where isEmulator: return request.isFromForeignPage ? .user : .owner
        case _ where isEmulator && Self.looksLikeJWT(token): return .user
        default: throw ServerError(.badToken, "Could not parse auth token.")
        }
    }

    private static func bearerToken(_ headers: HTTPFields) -> String? {
        guard let value = headers[.authorization], value.utf8.count > 7, value.prefix(7).lowercased() == "bearer "
        else {
            return nil
        }
        return String(value.dropFirst(7))
    }

    /// Whether it has three parts with dots between (RFC 7515 §7.1); the last is empty when nothing signs it.
    private static func looksLikeJWT(_ token: String) -> Bool {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 && !parts[0].isEmpty && !parts[1].isEmpty
    }

    /// Compares in a time that tells nothing of where the two differ.
    private static func isEqual(_ token: String, _ secret: String) -> Bool {
        let (token, secret) = (Array(token.utf8), Array(secret.utf8))
        guard token.count == secret.count else { return false }
        return zip(token, secret).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
