package import Access
package import TreeModel

/// Verifies proofs of identity other than the service's own ID tokens.
package struct IdentityProofs: Sendable {
    /// Verifies a token and returns its claims.
    package typealias Verification = @Sendable (_ token: String) async throws(AccessError) -> [String: JSONValue]

    /// Verifies custom tokens.
    let customTokens: CustomTokenVerifier
    /// Returns the verification of the ID tokens of a provider such as `google.com`; nil for a provider that is not
    /// trusted.
    let provider: @Sendable (_ name: String) -> Verification?

    /// Whether anybody can have an account at a provider, so that its people are strangers to the service.
    let isPublic: @Sendable (_ name: String) -> Bool

    /// The issuers at which anybody can have an account, and their usual names.
    private static let publicIssuers: Set = [
        "https://accounts.google.com", "https://appleid.apple.com", "https://www.facebook.com",
        "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0",
    ]
    package static let publicNames: Set = ["google.com", "apple.com", "facebook.com", "microsoft.com"]

    package init(
        customTokens: CustomTokenVerifier,
        provider: @escaping @Sendable (_ name: String) -> Verification? = { _ in nil },
        isPublic: @escaping @Sendable (_ name: String) -> Bool = { IdentityProofs.publicNames.contains($0) }
    ) {
        self.customTokens = customTokens
        self.provider = provider
        self.isPublic = isPublic
    }

    /// Trusts the ID tokens of the issuers whose keys are given.
    ///
    /// - Parameters:
    ///   - issuers: The issuers' keys; each issuer's users are identified by their `sub`.
    ///   - names: The issuer of each provider, such as `https://accounts.google.com` for `google.com`. A token of one
    ///     issuer does not sign in under the name of another provider.
    package init(customTokens: CustomTokenVerifier, issuers: IssuerKeys, named names: [String: String]) {
        self.init(
            customTokens: customTokens,
            provider: { provider in
                guard let issuer = names[provider] else { return nil }
                return { (token) async throws(AccessError) in
                    let claims = try await Self.claims(of: token, issuers: issuers)
                    guard claims["iss"] == .string(issuer) else { throw .badToken(.wrongIssuer) }
                    return claims
                }
            }, isPublic: { Self.publicIssuers.contains(names[$0] ?? "") })
    }

    /// Returns the claims of a token; fetches newer keys when its key is unknown.
    private static func claims(
        of token: String, issuers: IssuerKeys
    ) async throws(AccessError) -> [String: JSONValue] {
        let proved: ProvenUser
        do throws(AccessError) {
            proved = try issuers.user(ofToken: token)
        } catch {
            guard case .unknownKey(let issuer) = error else { throw error }
            await issuers.refresh(issuer: issuer)
            proved = try issuers.user(ofToken: token)
        }
        return proved.user.auth["token"]?.members ?? [:]
    }
}
