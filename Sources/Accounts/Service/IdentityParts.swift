import Access

/// The dependencies of all operations.
struct IdentityParts: Sendable {
    let store: AccountStore
    let passwords: PasswordHasher
    let tokens: IDTokens
    let proofs: IdentityProofs
    let throttle: Throttle
    let codes: CodeSender
    let invitations: Invitations
    let challenges: PasskeyChallenges
    let emulator: EmulatorState
    let current: CurrentIdentitySettings

    /// The operator's settings at present.
    var settings: IdentitySettings { current.value }

    /// Whether responses must not reveal which addresses have accounts.
    var hidesAccounts: Bool { !settings.isEmulator || emulator.hidesAccounts }

    /// Whether requests of a caller are throttled.
    func slowsDown(_ caller: IdentityCaller) -> Bool { !caller.isAdmin && !settings.isEmulator }
}
