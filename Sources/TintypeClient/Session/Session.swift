import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The session of one user with one service. Its tokens survive the app in the keychain, which several processes may
/// share, such as an app and its extension.
public struct Session: Sendable {
    /// The state of a session.
    public enum State: Hashable, Sendable {
        /// No one is signed in.
        case signedOut
        /// The person is signed in.
        case signedIn(Account)
        /// The person must sign in again; what is kept for the person stays.
        case expired(Account)
    }

    let identity: IdentityEndpoints
    let tokens: SessionTokens

    init(service: URL, keychain: any Keychain, transport: any Transport, clock: any DeviceClock) {
        identity = IdentityEndpoints(service: service, transport: transport)
        tokens = SessionTokens(identity, SessionStore(keychain, service: service), clock)
    }

    /// The present state.
    ///
    /// - Throws: `SessionError.keychain`.
    public var state: State { get async throws { try await tokens.state } }

    /// The present state, and each later one. Each call begins a sequence of its own. The first element comes as soon as
    /// the keychain can be read.
    public func states() async -> AsyncStream<State> { await tokens.states() }

    /// Signs out on this device. What is kept for the person elsewhere stays.
    ///
    /// - Throws: `SessionError.keychain`; the person is then still signed in.
    public func signOut() async throws { try await tokens.signOut() }

    /// Returns a token that is valid for some minutes; nil if nobody is signed in. Several callers cause one renewal.
    ///
    /// - Throws: `SessionError.expired`; `TransportError` if it must be renewed and cannot be now.
    func token() async throws -> String? { try await tokens.token() }

    /// Renews a token that the service has rejected, unless that has happened since.
    ///
    /// - Returns: Whether there is another token of the same person.
    func renew(_ rejected: String) async throws -> Bool { try await tokens.renew(rejected) }
}
