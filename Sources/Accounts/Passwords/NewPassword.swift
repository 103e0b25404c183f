import Access
import Cryptography
import TreeModel

/// A new password, as a hash.
struct NewPassword: Sendable {
    private let hash: Secret

    /// Hashes the password of a request; nil if there is none.
    ///
    /// - Throws: `WEAK_PASSWORD`, or the errors of hashing.
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

    /// Sets it as the password of an account, and ends the sessions and tokens that the old password opened.
    ///
    /// - Parameter isNew: Whether the account is being created, so that an old password does not exist.
    func apply(to account: inout Account, isNew: Bool = false, at now: Timestamp) {
        account.passwordHash = hash
        account.passwordChangedAt = now
        if !isNew { account.signOut(at: now) }
    }
}
