import Access
import Cryptography
import TreeModel

/// A password that somebody chose, as it is kept.
struct NewPassword: Sendable {
    private let hash: Secret

    /// Hashes the password of a request; nil when there is none.
    ///
    /// - Throws: `WEAK_PASSWORD`, or what hashing throws.
    init?(_ text: String?, for owner: String, by hasher: PasswordHasher) async throws(IdentityError) {
        guard let text, !text.isEmpty else { return nil }
        try Self.check(text)
        hash = try await hasher.hash(text, for: owner)
    }

    /// - Throws: `WEAK_PASSWORD`.
    static func check(_ text: String) throws(IdentityError) {
        let shortest = IdentitySettings.minPasswordLength
        guard text.utf16.count >= shortest else {
            throw IdentityError("WEAK_PASSWORD : Password should be at least \(shortest) characters")
        }
    }

    /// Makes it the password of an account, and ends the sessions and tokens of whoever knew the old one.
    ///
    /// - Parameter isNew: Whether the account is being made, and nobody knows an old one.
    func apply(to account: inout Account, isNew: Bool = false, at now: Timestamp) {
        account.passwordHash = hash
        account.passwordChangedAt = now
        if !isNew { account.signOut(at: now) }
    }
}
