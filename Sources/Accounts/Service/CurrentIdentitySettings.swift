import Synchronization

/// The operator's settings for accounts at present, an object that all operations share.
final class CurrentIdentitySettings: Sendable {
    private let settings: Mutex<IdentitySettings>

    init(_ settings: IdentitySettings) {
        self.settings = Mutex(settings)
    }

    /// The present value. An operation that needs several consistent parts reads it once.
    var value: IdentitySettings { settings.withLock { $0 } }

    /// Replaces the ways in which people may make an account; the rest stays as it was at the start.
    func adopt(_ signUp: SignUpMethods) {
        settings.withLock { $0.signUp = signUp }
    }
}
