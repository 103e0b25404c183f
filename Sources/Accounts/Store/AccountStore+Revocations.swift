import Model
package import Tree
package import TreeModel

extension AccountStore {
    /// Returns the times before which tokens are refused, in seconds since the epoch, by account id; the service needs
    /// them before it accepts tokens.
    package func revocations() async throws(TreeError) -> [String: Int64] {
        var revocations: [String: Int64] = [:]
        for entry in try await tree.children(of: AccountNodes.revocation()) {
            revocations[entry.key.string] = entry.value.integerValue
        }
        return revocations
    }

    /// The work that reports each revocation in the tree, whichever process has written it.
    ///
    /// Deletions are not reported: they follow the expiry of all tokens in question, and one that is reported late must
    /// not undo a later revocation.
    package var revocationFollower: TreeFollower {
        TreeFollower(of: AccountNodes.revocation(), in: tree) {
            for (uid, seconds) in try await revocations() { onRevocation(uid, seconds) }
        } take: { change in
            for write in change.writes where write.path.keys.count <= 1 {
                guard let value = write.value else { continue }
                for (uid, value) in write.path.keys.first.map({ [$0: value] }) ?? value.object ?? [:] {
                    if let seconds = value.integerValue { onRevocation(uid.string, seconds) }
                }
            }
        }
    }
}
