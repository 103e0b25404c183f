import Access

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
