package import Model
import Tree

/// The name of a delivery, the same each time that it is tried: whose it is, and its place among theirs.
package struct DeliveryID: Hashable, Sendable, CustomStringConvertible {
    /// The lane of what is for everybody.
    private static let common: TreeKey = "+"
    /// The lane of what is for the operator, whom no person is called like.
    private static let operators: TreeKey = "@operator"

    /// The key of the notification or announcement: the order of keys is the order of deliveries.
    let position: TreeKey
    /// Nil for everybody, and for the operator.
    package let recipient: UserID?
    /// Whether it is for the operator alone, and for no person.
    let isForOperator: Bool

    init(position: TreeKey, recipient: UserID?) {
        (self.position, self.recipient, isForOperator) = (position, recipient, false)
    }

    /// Names a delivery to the operator.
    init(toOperatorAt position: TreeKey) { (self.position, recipient, isForOperator) = (position, nil, true) }

    init?(position: TreeKey, lane: TreeKey) {
        guard PostPosition(key: position)?.key == position else { return nil }
        self.position = position
        recipient = UserID(lane.string)
        isForOperator = lane == Self.operators
        guard recipient != nil || isForOperator || lane == Self.common else { return nil }
    }

    /// Reads a name; nil for what is none.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let position = try? TreeKey(String(first)) else { return nil }
        self.init(position: position, lane: parts.count > 1 ? TreeKey(unchecked: String(parts[1])) : Self.common)
        guard description == text else { return nil }
    }

    /// `000000000000002a-00000000:ann`, or without the colon and what follows for everybody.
    package var description: String { to.map { "\(position):\($0)" } ?? position.string }

    /// To whom it is, as documents say; nil for everybody.
    var to: String? { isForOperator ? Self.operators.string : recipient?.description }

    /// All deliveries to one recipient are made one after the other.
    var lane: TreeKey { isForOperator ? Self.operators : recipient?.key ?? Self.common }
    /// Where it stands below `outbox` or `dead_letters`.
    func path(below root: TreePath) -> TreePath { root / lane / position }
}
