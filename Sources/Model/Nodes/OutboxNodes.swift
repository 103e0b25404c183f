/// The nodes of deliveries: notifications for a program or an address.
package enum OutboxNodes {
    package static let entry = TreeNode(
        "outbox/{lane}/{position}", in: .social, .derived, "a delivery that waits", record: "OutboxEntry",
        unaudited: reason)
    package static let deadLetter = TreeNode(
        "dead_letters/{lane}/{position}", in: .social, .service, "a delivery that was given up", record: "OutboxEntry",
        unaudited: reason)
    package static let isOn = TreeNode(
        "outbox_on", in: .social, .service, "whether notifications are delivered: `true`, or absent",
        unaudited: "each start writes it")
    package static let head = TreeNode(
        "outbox_heads/{lane}", in: .social, .derived, "the time at which the next delivery of a lane is due",
        record: "OutboxQueue",
        unaudited: reason)
    package static let queued = TreeNode(
        "outbox_queue/{row}", in: .social, .derived, "the lanes in the order of these times", record: "OutboxQueue",
        unaudited: reason)

    private static let reason = "what is delivered is deleted, and what is not is noticed by its receiver"

    package static let all = [entry, deadLetter, isOn, head, queued]
}
