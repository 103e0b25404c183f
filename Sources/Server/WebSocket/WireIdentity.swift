import Access
import Database

/// Whom a session acts as.
struct WireIdentity: Sendable {
    let proof: Proof
    let session: DatabaseSession

    init(_ proof: Proof, in database: RealtimeDatabase) {
        self.proof = proof
        session = database.session(as: proof.identity)
    }

    /// When it ends, in milliseconds since the epoch; nil for never.
    var expiresMilliseconds: Int64? { proof.expiresMilliseconds }
}
