import Posts
import Tree

/// Where deliveries stand; clients see none of it.
extension Paths {
    /// Deliveries that wait: `{lane}/{position}`, an ``OutboxEntry`` each.
    static let outbox = TreePath(["outbox"], in: .social)

    /// Deliveries that were given up, in the same shape.
    static let deadLetters = TreePath(["dead_letters"], in: .social)

    /// Whether notifications are delivered to anything; there, and `true`, or not.
    static let outboxIsOn = TreePath(["outbox_on"], in: .social)

    /// When the next delivery of each lane that has any is due, as ``OutboxQueue`` writes it.
    static let outboxHeads = TreePath(["outbox_heads"], in: .social)

    /// The same in the order of these times: `{time}-{lane}`, the lane.
    static let outboxQueue = TreePath(["outbox_queue"], in: .social)
}
