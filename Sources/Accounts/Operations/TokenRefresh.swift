import Access
import Cryptography
import TreeModel

/// Exchanges a refresh token for new tokens (`securetoken.googleapis.com/v1/token`); the only operation whose protocol
/// names contain underscores.
struct TokenRefresh: Sendable {
    let parts: IdentityParts

    func run(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        let type = try request.string("grant_type", or: "grantType", missing: "GRANT_TYPE")
        guard type == "refresh_token" else { throw IdentityError("INVALID_GRANT_TYPE") }
        let text = try request.string("refresh_token", or: "refreshToken", missing: "REFRESH_TOKEN")
        let key = try request.idempotencyKey.map { (text) throws(IdentityError) in
            guard let key = RefreshKey(text) else {
                throw IdentityError("INVALID_ARGUMENT : Idempotency-Key has 1 to 200 printable ASCII characters")
            }
            return key
        }
        guard let token = RefreshToken(text), let salt = try? RandomText.make(bytes: 24) else {
            throw try refused(.invalidRefreshToken, request)
        }
        let refreshed: AccountStore.Refreshed
        if parts.slowsDown(request.caller) {
            try parts.throttle.refresh(of: "\(token.uid)/\(token.session)")
        }
        do throws(IdentityError) {
            refreshed = try await parts.store.refresh(token, key: key, salt: salt)
        } catch {
            throw error.status == 400 ? try refused(error, request) : error
        }
        guard case .signedIn(let signedIn) = refreshed else {
            let reason = "a refresh token was used again after its replacement; the session of \(token.uid) is over"
            throw try refused(IdentityError(IdentityError.invalidRefreshToken.message, reason: reason), request)
        }
        let idToken = try parts.tokens.idToken(for: signedIn)
        return [
            "id_token": .string(idToken), "access_token": .string(idToken),
            "refresh_token": .string(signedIn.refreshToken.text),
            "expires_in": .string(String(IdentitySettings.tokenLifetimeSeconds)), "token_type": "Bearer",
            "user_id": .string(signedIn.account.uid), "project_id": .string(parts.tokens.authority.project),
        ]
    }

    /// Counts a refusal and returns its error.
    private func refused(_ error: IdentityError, _ request: IdentityRequest) throws(IdentityError) -> IdentityError {
        if parts.slowsDown(request.caller) { try parts.throttle.badRefresh(from: request.caller.address) }
        return error
    }
}
