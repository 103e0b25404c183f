import Cryptography
import TreeModel

/// Verifies tokens of all kinds.
struct TokenJudge: Sendable {
    let authority: TokenAuthority?
    let issuers: IssuerKeys?

    /// A number that changes with the keys.
    var keyVersion: Int { (authority?.keyVersion ?? 0) + (issuers?.keyVersion ?? 0) }

    /// Returns the proof of a token.
    ///
    /// - Parameter now: The current time.
    /// - Throws: ``AccessError`` with the case `badToken`, `expired` or `unknownKey`.
    func proof(of token: String, _ settings: AccessControl.Settings, now: Timestamp) throws(AccessError) -> Proof {
        guard token.utf8.count <= WebToken.maxBytes else { throw .badToken(.tooLong) }
        let secrets = settings.secrets.map(DatabaseSecret.init)
        if secrets.contains(where: { $0.matches(token) }) {
            return Proof(.databaseSecret, .admin(expiresAt: nil))
        }
        if let proof = try adminKeyProof(of: token, settings.adminKeys, now: now) { return proof }
        let token = try WebToken(token)
        switch token.algorithm {
        case "none":
            // Such a token proves nothing, but an emulator accepts it.
            guard settings.isEmulator, token.signature.isEmpty else { throw .badToken(.badAlgorithm) }
            return try Self.believed(token)
        case SignatureAlgorithm.hs256.rawValue:
            return try legacyProof(of: token, secrets, settings, now: now)
        default:
            return try issuedProof(of: token, settings, now: now)
        }
    }

    /// Returns the time after its expiry for which a proof is still accepted.
    func leeway(of proof: Proof, _ settings: AccessControl.Settings) -> Duration {
        switch proof.kind {
        case .token: .seconds(authority?.leewaySeconds ?? 0)
        case .foreignToken, .databaseSecret: .seconds(settings.leewaySeconds)
        case .none, .peer, .adminKey, .emulator: .zero
        }
    }

    private func adminKeyProof(of token: String, _ keys: [AdminKey], now: Timestamp) throws(AccessError) -> Proof? {
        guard !keys.isEmpty else { return nil }
        let hash = Digest.sha256(token)
        guard let key = keys.first(where: { $0.matches(hash: hash) }) else { return nil }
        if let expiry = key.expiresAt, expiry <= now { throw .expired }
        return Proof(.adminKey(key), .admin(expiresAt: key.expiresAt))
    }

    private func legacyProof(
        of token: WebToken, _ secrets: [DatabaseSecret], _ settings: AccessControl.Settings, now: Timestamp
    ) throws(AccessError) -> Proof {
        guard !secrets.isEmpty else { throw .badToken(.badAlgorithm) }
        guard secrets.contains(where: { (try? $0.checkSignature(of: token)) != nil }) else {
            throw .badToken(.badSignature)
        }
        let subject = try DatabaseSecret.proof(of: token.claims, leewaySeconds: settings.leewaySeconds, now: now)
        return Proof(.databaseSecret, subject)
    }

    private func issuedProof(
        of token: WebToken, _ settings: AccessControl.Settings, now: Timestamp
    ) throws(AccessError) -> Proof {
        guard let name = token.claims["iss"]?.string else { throw .badToken(.wrongIssuer) }
        let foreign = issuers?.issuer(name)
        // A store that was moved here may use the name that its project has with Firebase.
        if let authority, authority.issuer.isSame(as: name), foreign == nil || authority.mayHaveSigned(token) {
            return Proof(.token, .user(try authority.user(of: token)))
        }
        if let foreign {
            let verifier = ForeignVerifier(settings: foreign.settings, leewaySeconds: settings.leewaySeconds)
            let user = try verifier.user(of: token, keys: foreign.keys, now: now)
            return Proof(.foreignToken(issuer: foreign.settings.issuer), .user(user))
        }
        guard settings.isEmulator else { throw .badToken(.wrongIssuer) }
        return try Self.believed(token)
    }

    /// Returns the proof of an unsigned token. Expiry is not checked, because mock tokens are expired from the start.
    private static func believed(_ token: WebToken) throws(AccessError) -> Proof {
        let claims = token.claims
        guard let uid = claims["user_id"]?.string ?? claims["sub"]?.string else { throw .badToken(.badSubject) }
        let provider = claims["firebase"]?["sign_in_provider"]?.string ?? "custom"
        let user = try ProvenUser(uid: uid, provider: provider, claims: claims, expirySeconds: nil)
        return Proof(.emulator, .user(user))
    }
}
