public import Foundation

/// A keychain in memory, for tests and previews. Its secrets end with the process.
public actor MemoryKeychain: Keychain {
    private var secrets: [String: Data] = [:]

    /// Creates an empty keychain.
    public init() {}

    /// Returns a secret; nil for none.
    public func secret(named name: String) -> Data? { secrets[name] }

    /// Stores a secret, or removes it with nil.
    public func setSecret(_ secret: Data?, named name: String) { secrets[name] = secret }
}
