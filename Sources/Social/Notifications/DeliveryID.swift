package import Model
import Tree

/// The name of a delivery, the same for each attempt: its recipient, and its position among the recipient's deliveries.
package struct DeliveryID: Hashable, Sendable, CustomStringConvertible {
    /// The lane of deliveries to everybody.
    private static let common: TreeKey = "+"
    /// The lane of deliveries to the operator; no user can have this id.
    private static let operators: TreeKey = "@operator"

    /// The key of the notification or announcement: the order of keys is the order of deliveries.
    let position: TreeKey
    /// The recipient; nil for everybody and for the operator.
    package let recipient: UserID?
    /// Whether the delivery is for the operator, and not for one person or everybody.
    let isForOperator: Bool

    init(position: TreeKey, recipient: UserID?) {
        (self.position, self.recipient, isForOperator) = (position, recipient, false)
    }

    /// Creates the name of a delivery to the operator.
    init(toOperatorAt position: TreeKey) { (self.position, recipient, isForOperator) = (position, nil, true) }

    init?(position: TreeKey, lane: TreeKey) {
        guard PostPosition(key: position)?.key == position else { return nil }
        self.position = position
        recipient = UserID(lane.string)
        isForOperator = lane == Self.operators
        guard recipient != nil || isForOperator || lane == Self.common else { return nil }
    }

    /// Parses a name; nil if it is malformed.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let position = try? TreeKey(String(first)) else { return nil }
        self.init(position: position, lane: parts.count > 1 ? TreeKey(unchecked: String(parts[1])) : Self.common)
        guard description == text else { return nil }
    }

    /// The name as text: `000000000000002a-00000000:ann`; for everybody, without the colon and the recipient.
    package var description: String { to.map { "\(position):\($0)" } ?? position.string }

    /// The recipient in documents; nil for everybody.
    var to: String? { isForOperator ? Self.operators.string : recipient?.description }

    /// The key of the recipient's deliveries, which are made one after the other.
    var lane: TreeKey { isForOperator ? Self.operators : recipient?.key ?? Self.common }
    /// Returns the path below `outbox` or `dead_letters`.
    func path(below root: TreePath) -> TreePath { root / lane / position }
}
