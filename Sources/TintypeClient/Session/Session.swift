public import TintypeModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Why a session cannot be used.
public enum SessionError: Error, Hashable, Sendable {
    /// Nobody is signed in.
    case signedOut
    /// The user must sign in again: the account was disabled or deleted, its password changed, or all sessions ended.
    case expired(Person.ID)
    /// The keychain cannot be read or written; the text is for developers.
    case keychain(String)
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

/// The session of one user with one service. Its tokens survive the app in the keychain.
public actor Session {
    /// The state of a session.
    public enum State: Hashable, Sendable {
        /// Nobody is signed in.
        case signedOut
        /// The person is signed in.
        case signedIn(Account)
        /// The person must sign in again; what is kept for the person stays.
        case expired(Account)
    }

    init(service: URL, keychain: any Keychain, transport: any Transport, clock: any DeviceClock) {
    }

    /// The present state.
    public var state: State { get async throws { .signedOut } }

    /// The present state, and each later one. Each call begins a sequence of its own.
    public func states() -> AsyncStream<State> { AsyncStream { $0.finish() } }

    /// Returns a token that is valid for some minutes; nil if nobody is signed in. Several callers cause one renewal.
    ///
    /// - Throws: `SessionError.expired`; `TransportError` if it must be renewed and cannot be now.
    func token() async throws -> String? { nil }

    /// Renews a token that the service has rejected, unless that has happened since.
    ///
    /// - Returns: Whether there is another token.
    func renew(_ rejected: String) async throws -> Bool { false }
}
