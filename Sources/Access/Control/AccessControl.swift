package import Cryptography
import Foundation
import Synchronization
package import TreeModel

/// Decides the identity that a request acts as; it never waits.
///
/// A token determines the requester over any connection. Without a token, a request over the Unix socket acts as its
/// peer, as the system reports it; a request over TCP is anonymous and subject to the security rules.
package final class AccessControl: Sendable {
    /// The operator's settings; replaceable while the service runs.
    package struct Settings: Sendable {
        /// Whether all requesters may name their identity without proof, as with Firebase's emulator.
        package var isEmulator = false
        /// The database secrets.
        package var secrets: [Secret] = []
        package var adminKeys: [AdminKey] = []
        /// The users of the system who may use the Unix socket.
        package var peers: PeerPolicy
        /// The largest accepted difference between the clocks of other issuers and of this machine, in seconds.
        package var leewaySeconds: Int64 = 60

        package init(peers: PeerPolicy) { self.peers = peers }
    }

    package let revocations: RevocationList
    private let tokens: TokenJudge
    private let cache: ProofCache
    private let now: @Sendable () -> Timestamp
    private let settings: Mutex<Settings>
    /// The number of times that the settings have been replaced.
    private let changeCount = Atomic<Int>(0)

    /// - Parameters:
    ///   - authority: The issuer of the service's own tokens; nil for none.
    ///   - issuers: The other trusted issuers.
    ///   - now: The current time.
    package init(
        _ settings: Settings, authority: TokenAuthority?, issuers: IssuerKeys? = nil,
        revocations: RevocationList = RevocationList(),
        now: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) {
        self.settings = Mutex(settings)
        self.revocations = revocations
        self.now = now
        tokens = TokenJudge(authority: authority, issuers: issuers)
        cache = ProofCache()
    }

    /// Replaces the settings; they apply to all requests admitted from now on.
    package func replaceSettings(_ new: Settings) {
        settings.withLock { $0 = new }
        changeCount.add(1, ordering: .acquiringAndReleasing)
    }

    /// Replaces the admin keys; a connection that a removed key admitted ends at its next check.
    package func replaceAdminKeys(_ keys: [AdminKey]) {
        settings.withLock { $0.adminKeys = keys }
        changeCount.add(1, ordering: .acquiringAndReleasing)
    }

    /// Returns the identity that a request with these credentials acts as.
    ///
    /// - Throws: ``AccessError`` for a request that is not admitted.
    package func identity(for credentials: Credentials) throws(AccessError) -> Identity {
        try proof(for: credentials).identity
    }

    /// Authenticates a request with these credentials.
    ///
    /// - Throws: ``AccessError`` for a request that is not admitted.
    package func proof(for credentials: Credentials) throws(AccessError) -> Proof {
        let shown =
            if let token = credentials.token {
                try proof(of: token, isFromForeignPage: credentials.isFromForeignPage)
            } else {
                try proof(of: credentials.peer)
            }
        try check(shown)
        return try shown.overridden(by: credentials.override).acting(for: credentials.actingFor)
    }

    /// Checks that a proof is still valid: for connections that stay open.
    ///
    /// - Throws: ``AccessError`` with the case `expired` or `revoked`.
    package func recheck(_ proof: Proof) throws(AccessError) {
        if let expiry = proof.expiresAt, expiry <= now() { throw .expired }
        if case .adminKey(let key) = proof.kind, !settings.withLock(\.adminKeys).contains(key) { throw .revoked }
        try check(proof)
    }

    /// Fetches newer keys of the issuer of a token that names an unknown key.
    ///
    /// - Returns: Whether the token should be verified again: the key may be present now, also because of a concurrent
    ///   fetch for another request.
    package func refreshKeys(after error: AccessError) async -> Bool {
        guard case .unknownKey(let name) = error, let issuers = tokens.issuers, issuers.issuer(name) != nil else {
            return false
        }
        await issuers.refresh(issuer: name)
        return true
    }

    private func check(_ proof: Proof) throws(AccessError) {
        guard proof.kind != .emulator, !proof.isOwnerActing, case .user(let proven) = proof.subject else { return }
        if revocations.isRevoked(proven) { throw .revoked }
    }

    // MARK: Credentials

    private func proof(of peer: Credentials.Peer) throws(AccessError) -> Proof {
        guard case .local(let process) = peer else { return Proof(.none, .anonymous) }
        let kind = Proof.Kind.peer(systemUser: process.userID)
        switch settings.withLock(\.peers).right(of: process) {
        case nil: throw .denied
        case .any: return Proof(kind, .admin(expiresAt: nil))
        case .user(let uid): return Proof(kind, .user(ProvenUser(named: uid)))
        }
    }

    private func proof(of token: String, isFromForeignPage: Bool) throws(AccessError) -> Proof {
        let now = now()
        // This is read before verification, so that a concurrent change invalidates the cached proof.
        let keyVersion = tokens.keyVersion + changeCount.load(ordering: .acquiring)
        if let proof = cache.proof(of: token, keyVersion: keyVersion, now: now) { return proof }
        let settings = settings.withLock(\.self)
        // The word is public, so an emulator does not accept it from web pages of other machines.
        if settings.isEmulator, token == "owner" {
            return isFromForeignPage ? Proof(.none, .anonymous) : Proof(.emulator, .admin(expiresAt: nil))
        }
        let proof = try tokens.proof(of: token, settings, now: now)
        let end = proof.expiresAt.map { $0 + tokens.leeway(of: proof, settings) } ?? .max
        cache.keep(proof, of: token, until: end, keyVersion: keyVersion)
        return proof
    }
}
