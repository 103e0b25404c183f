import Model
import Tree

extension UserID {
    /// Whether one of two people has blocked the other.
    func hasBlock(with other: UserID, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        if try snapshot.exists(PeopleNodes.blocking(self) / other.key) { return true }
        return try snapshot.exists(PeopleNodes.blocking(other) / key)
    }
}
