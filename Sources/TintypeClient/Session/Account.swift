public import TintypeModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Why a session cannot be used.
public enum SessionError: Error, Hashable, Sendable {
    /// No one is signed in, or not the person for whom the request is.
    case signedOut
    /// The user must sign in again: the account was disabled or deleted, its password changed, or all sessions ended.
    case expired(Person.ID)
    /// The keychain cannot be read or written; the text is for developers.
    case keychain(String)
}

extension SessionError: CustomStringConvertible, LocalizedError {
    /// The reason in one line.
    public var description: String {
        switch self {
        case .signedOut: "nobody is signed in, or not the person for whom this is"
        case .expired: "the person must sign in again"
        case .keychain(let detail): "the keychain cannot be used: \(detail)"
        }
    }

    /// The reason, for people.
    public var errorDescription: String? { description }
}

/// The person who is signed in on this device.
public struct Account: Codable, Hashable, Sendable {
    /// The id of the person.
    public var id: Person.ID
    /// The address; nil for none.
    public var email: String?
    /// Whether the account has neither an address nor another way to sign in again.
    public var isAnonymous = false

    /// Creates an account.
    public init(id: Person.ID, email: String? = nil, isAnonymous: Bool = false) {
        (self.id, self.email, self.isAnonymous) = (id, email, isAnonymous)
    }
}
