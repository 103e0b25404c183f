package import Access
package import Accounts

extension HTTPServer {
    /// The accounts that the server serves, and the issuer of their tokens.
    package struct AccountEndpoints: Sendable {
        package let service: IdentityService
        package let authority: TokenAuthority
        package let signingKeys: SigningKeys
        package let adminKeys: AdminKeys
        package let mediaKeys: MediaSigningKeys

        package init(
            service: IdentityService, authority: TokenAuthority, signingKeys: SigningKeys, adminKeys: AdminKeys,
            mediaKeys: MediaSigningKeys
        ) {
            self.service = service
            self.authority = authority
            self.signingKeys = signingKeys
            self.adminKeys = adminKeys
            self.mediaKeys = mediaKeys
        }
    }
}
