/// Somebody who receives the events of many listeners at once, such as all connections of one event loop.
///
/// Calls may come on any thread, and must not wait for anybody.
public protocol EventReceiver: AnyObject, Sendable {
    /// The form in which the receiver is given data.
    var form: JSONForm { get }
    /// Hands over an event for listeners of this receiver.
    ///
    /// Calls come one at a time, in the order of the change log. An event may come to a listener that has just begun,
    /// and has read a later state than the event's; it knows that by the token.
    func receive(_ event: TreeEvent, for listeners: [UInt64])
    /// Ends listeners whose changes the store cannot follow any more, such as a query whose index is gone.
    func cancel(_ listeners: [UInt64])
    /// Ends all listeners of this receiver: the store has been closed.
    func end()
}

extension EventReceiver {
    /// Values alone.
    public var form: JSONForm { .plain }
}

/// A listener at a node, by its number: what ``TreeStore/stopListening(_:)`` ends.
public struct Listener: Hashable, Sendable {
    /// The number that the receiver is given with each event.
    public let id: UInt64
    /// What is listened to.
    public let path: TreePath
    /// Which children of it; nil for all that is there.
    public let query: TreeQuery?
    let unindexed: UnindexedQueries
}

/// A receiver, and the listeners for which it receives an event.
struct EventRecipient {
    let receiver: any EventReceiver
    private(set) var ids: [UInt64] = []

    /// Each receiver once, with all of its listeners.
    static func grouping(_ listeners: some Sequence<(UInt64, any EventReceiver)>) -> some Collection<EventRecipient> {
        var recipients: [ObjectIdentifier: EventRecipient] = [:]
        for (id, receiver) in listeners {
            recipients[ObjectIdentifier(receiver), default: EventRecipient(receiver: receiver)].ids.append(id)
        }
        return recipients.values
    }
}

extension Collection<EventRecipient> {
    /// Hands an event to all of them; it is put into words once for each form that is wanted.
    ///
    /// - Parameters:
    ///   - committedAt: The instant at which the update was durable; nil where it is not known.
    ///   - event: The event in a form; nil when there is nothing to tell.
    func receive(committedAt: ContinuousClock.Instant?, _ event: (_ form: JSONForm) -> TreeEvent?) {
        var events: [JSONForm: TreeEvent?] = [:]
        for recipient in self {
            let form = recipient.receiver.form
            if events[form] == nil { events[form] = .some(event(form)) }
            guard case .some(.some(var event)) = events[form] else { continue }
            event.committedAt = committedAt
            recipient.receiver.receive(event, for: recipient.ids)
        }
    }
}
