import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The part of a session that survives the app.
struct StoredSession: Codable, Hashable, Sendable {
    var account: Account
    /// The token for the next ID token; nil if the person must sign in again.
    var refreshToken: Secret?
    /// The key of the renewal whose answer is still missing (`Idempotency-Key`); nil for none. The service answers the
    /// same token with the same key again, however late.
    var renewalKey: Secret?

    var state: Session.State { refreshToken == nil ? .expired(account) : .signedIn(account) }
}

/// The place of a session in the keychain. All errors are `SessionError.keychain`.
struct SessionStore: Sendable {
    let keychain: any Keychain
    let name: String

    init(_ keychain: any Keychain, service: URL) {
        var address = service.absoluteString
        while address.hasSuffix("/") { address.removeLast() }
        (self.keychain, name) = (keychain, "tintype-session \(address)")
    }

    /// Returns the session; nil for none, and for what is not a session.
    func read() async throws(SessionError) -> StoredSession? {
        do {
            return try await keychain.secret(named: name).flatMap {
                try? JSONDecoder().decode(StoredSession.self, from: $0)
            }
        } catch { throw .keychain("\(error)") }
    }

    /// Stores a session, or removes it with nil.
    func write(_ session: StoredSession?) async throws(SessionError) {
        do { try await keychain.setSecret(session.map { try JSONEncoder().encode($0) }, named: name) } catch {
            throw .keychain("\(error)")
        }
    }
}
