package import Access
package import TreeModel

/// What proves who somebody is, other than the service's own ID tokens.
package struct IdentityProofs: Sendable {
    /// The claims of a token, once it is proved.
    package typealias Verification = @Sendable (_ token: String) async throws(AccessError) -> [String: JSONValue]

    /// Verifies custom tokens.
    let customTokens: CustomTokenVerifier
    /// What verifies the ID tokens of a provider such as `google.com`; nil for one that is not believed here.
    let provider: @Sendable (_ name: String) -> Verification?

    package init(
        customTokens: CustomTokenVerifier,
        provider: @escaping @Sendable (_ name: String) -> Verification? = { _ in nil }
    ) {
        self.customTokens = customTokens
        self.provider = provider
    }
}

/// What all operations work with.
struct IdentityParts: Sendable {
    let store: AccountStore
    let passwords: PasswordHasher
    let tokens: IDTokens
    let proofs: IdentityProofs
    let throttle: Throttle
    let codes: CodeSender
    let emulator: EmulatorState
    let settings: IdentitySettings

    /// Whether answers must not tell which addresses have accounts.
    var hidesAccounts: Bool { !settings.isEmulator || emulator.hidesAccounts }

    /// Whether a caller is slowed down.
    func slowsDown(_ caller: IdentityCaller) -> Bool { !caller.isAdmin && !settings.isEmulator }
}
