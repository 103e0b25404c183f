import Access
import TreeModel

/// The claims that an administrator or a signer of custom tokens adds to a user's tokens.
enum AccountClaims {
    /// Checks the claims of an account.
    ///
    /// - Parameter text: A JSON object.
    /// - Returns: The claims in the stored form; nil for none.
    /// - Throws: `CLAIMS_TOO_LARGE`, `INVALID_CLAIMS` or `FORBIDDEN_CLAIM`.
    static func checked(_ text: String) throws(IdentityError) -> String? {
        guard text.unicodeScalars.count <= CustomClaims.maxLength else { throw IdentityError("CLAIMS_TOO_LARGE") }
        guard let members = JSONValue(text: text.utf8)?.members else { throw IdentityError("INVALID_CLAIMS") }
        try check(members)
        return members.isEmpty ? nil : text
    }

    /// Checks claims that will be added to a token.
    ///
    /// - Throws: `FORBIDDEN_CLAIM`.
    static func check(_ claims: [String: JSONValue]) throws(IdentityError) {
        if let name = claims.keys.sorted().first(where: CustomClaims.reservedNames.contains) {
            throw IdentityError("FORBIDDEN_CLAIM : \(name)")
        }
    }

    /// Whether the claims in a text make their user an admin.
    static func isAdmin(_ text: String?) -> Bool { members(of: text)["admin"] == true }

    /// Returns the claims in a text with the claim `admin`; the text itself if that would be too long.
    static func addingAdmin(to text: String?) -> String? {
        var claims = members(of: text)
        claims["admin"] = true
        let longer = String(decoding: JSONValue.object(claims).text, as: UTF8.self)
        return (try? checked(longer)) ?? text
    }

    /// Returns the claims in a text.
    static func members(of text: String?) -> [String: JSONValue] {
        text.flatMap { JSONValue(text: $0.utf8)?.members } ?? [:]
    }
}
