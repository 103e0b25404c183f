import Model
import Tree

/// Moves the tokens of a person's devices to `notification_tokens/{uid}`, in the commit that writes them. Firebase apps
/// write them into the person's profile, which is public.
struct DeviceTokens: Derivation {
    static let tokens = NotificationNodes.device.pattern

    let place = TreePattern(PeopleNodes.person.path / "notificationTokens" / "*")

    func writes(
        for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard case .leaf(let value) = node.after else { return [] }
        return [
            TreeWrite(path: Self.tokens.path(filledWith: node.keys), value: value),
            TreeWrite(path: place.path(filledWith: node.keys), value: nil),
        ]
    }
}
