import API
import Access
import Database
import Transport
import Tree
import TreeModel

/// The identity that a session acts as.
struct RealtimeIdentity: Sendable {
    let proof: Proof
    let session: DatabaseSession

    init(_ proof: Proof, at socket: AdmittedSocket) {
        self.proof = proof
        let limits = socket.limits(of: proof)
        session = socket.database.session(
            as: proof.identity, from: socket.network,
            counting: { cost throws(Failure) in
                if let limits { try limits.limiter.count(written: cost, of: limits.client) }
            }, reader: limits?.reader)
    }

    /// Whether the rules may allow a write anywhere in a tree; true if this cannot be determined now, because the write
    /// itself is checked.
    func mayWrite(anywhereIn namespace: Namespace) async -> Bool {
        do {
            try await session.judgeBeforehand(DatabasePath(TreePath([], in: namespace)), isUpdate: true)
        } catch let error as TreeError {
            return error.code != .permissionDenied
        } catch {}
        return true
    }

    /// The time at which the identity expires; nil for never.
    var expiresAt: Timestamp? { proof.expiresAt }
}
