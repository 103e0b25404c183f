#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A safe place for secrets: the tokens of a session.
public protocol Keychain: Sendable {
    /// Returns a secret; nil for none.
    func secret(named name: String) async throws -> Data?

    /// Stores a secret, or removes it with nil. It is durable when this returns.
    func setSecret(_ secret: Data?, named name: String) async throws
}

/// A keychain's refusal, in the words of the system.
public struct KeychainError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, for developers.
    public let description: String

    /// Creates an error.
    public init(_ description: String) { self.description = description }
}
