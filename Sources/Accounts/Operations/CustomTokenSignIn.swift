import Access
import Cryptography
import TreeModel

/// Signs in with a token that a service of the operator's signed (`accounts:signInWithCustomToken`).
struct CustomTokenSignIn: Sendable {
    let parts: IdentityParts

    func run(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        let token = try request.string("token", missing: "CUSTOM_TOKEN", maxBytes: 16 << 10)
        let proved: CustomToken
        do throws(AccessError) {
            proved = try parts.proofs.customTokens.verify(token, now: parts.store.now)
        } catch {
            throw IdentityError("INVALID_CUSTOM_TOKEN : \(error.reason)")
        }
        let uid = proved.uid
        _ = try AccountStore.key(of: uid)
        let claims = JSONValue.object(proved.claims)
        let claimsText = proved.claims.isEmpty ? nil : String(decoding: claims.text, as: UTF8.self)
        let first = try SignUp.newToken(of: uid)
        let (signedIn, isNew) = try await parts.store.transact { transaction in
            let old = try transaction.reader.account(uid)
            var account = old ?? Account(uid: uid, createdAt: transaction.now)
            account.signsInByCustomToken = true
            let signedIn = try transaction.signIn(
                account, inPlaceOf: old, with: first, provider: "custom", claims: claimsText)
            return (signedIn, old == nil)
        }
        var members = try parts.tokens.members(for: signedIn)
        members["kind"] = "identitytoolkit#VerifyCustomTokenResponse"
        members["isNewUser"] = .bool(isNew)
        return .object(members)
    }
}

/// Reads the claims of tokens without verification: only for emulators.
enum UnverifiedToken {
    /// Returns the claims of a token, or of a JSON object in its place; nil for any other text.
    static func claims(_ text: String) -> [String: JSONValue]? {
        if text.utf8.first == UInt8(ascii: "{") { return JSONValue(text: text.utf8)?.members }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        return Base64URL.decode(parts[1]).flatMap { JSONValue(text: $0)?.members }
    }
}
