package import Cryptography
import Foundation
import Synchronization
package import TreeModel

/// Decides as whom a request acts, without waiting for anything.
///
/// A token says who asks, whatever it comes over. Without one, the Unix socket's peer is who the system says, and over TCP
/// it is nobody, of whom security rules decide.
package final class AccessControl: Sendable {
    /// What an operator chooses; replaceable while the service runs.
    package struct Settings: Sendable {
        /// Whether everybody may say who they are, as with Firebase's emulator.
        package var isEmulator = false
        /// The database secrets.
        package var secrets: [Secret] = []
        package var adminKeys: [AdminKey] = []
        /// Who may use the Unix socket.
        package var peers: PeerPolicy
        /// By how much the clocks of other issuers may differ from this machine's.
        package var leewaySeconds: Int64 = 60

        package init(peers: PeerPolicy) { self.peers = peers }
    }

    package let revocations: RevocationList
    private let tokens: TokenJudge
    private let cache: ProofCache
    private let now: @Sendable () -> Timestamp
    private let settings: Mutex<Settings>
    /// The number of times that the settings were replaced.
    private let changeCount = Atomic<Int>(0)

    /// - Parameters:
    ///   - authority: Who issues the service's own tokens; nil for nobody.
    ///   - issuers: The other issuers that are believed.
    ///   - now: The present time.
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

    /// Takes other settings; whoever is let in from now on is let in by these.
    package func replaceSettings(_ new: Settings) {
        settings.withLock { $0 = new }
        changeCount.add(1, ordering: .acquiringAndReleasing)
    }

    /// Takes other admin keys; a connection that one of the old ones let in ends at its next check.
    package func replaceAdminKeys(_ keys: [AdminKey]) {
        settings.withLock { $0.adminKeys = keys }
        changeCount.add(1, ordering: .acquiringAndReleasing)
    }

    /// The identity that a request with these credentials acts as.
    ///
    /// - Throws: ``AccessError`` for a request that is not let in.
    package func identity(for credentials: Credentials) throws(AccessError) -> Identity {
        try proof(for: credentials).identity
    }

    /// What lets a request with these credentials in, and as whom.
    ///
    /// - Throws: ``AccessError`` for a request that is not let in.
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

    /// Makes sure that a proof that was good is good still: for connections that stay open.
    ///
    /// - Throws: ``AccessError`` with the case `expired` or `revoked`.
    package func recheck(_ proof: Proof) throws(AccessError) {
        if let expiry = proof.expiresAt, expiry <= now() { throw .expired }
        if case .adminKey(let key) = proof.kind, !settings.withLock(\.adminKeys).contains(key) { throw .revoked }
        try check(proof)
    }

    /// Gets newer keys of the issuer of a token whose key is not known.
    ///
    /// - Returns: Whether it is worth judging the token again: the key may be here now, and may have come since the token was
    ///   judged, for somebody else who asked at the same time.
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

    // MARK: What is shown

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
        // Read before the judgement: whatever changes meanwhile makes what is kept worthless.
        let keyVersion = tokens.keyVersion + changeCount.load(ordering: .acquiring)
        if let proof = cache.proof(of: token, keyVersion: keyVersion, now: now) { return proof }
        let settings = settings.withLock(\.self)
        // Everybody knows this word, so an emulator does not believe it of pages of other machines.
        if settings.isEmulator, token == "owner" {
            return isFromForeignPage ? Proof(.none, .anonymous) : Proof(.emulator, .admin(expiresAt: nil))
        }
        let proof = try tokens.proof(of: token, settings, now: now)
        let end = proof.expiresAt.map { $0 + tokens.leeway(of: proof, settings) } ?? .max
        cache.keep(proof, of: token, until: end, keyVersion: keyVersion)
        return proof
    }
}
