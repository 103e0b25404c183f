/// A receiver of events for many listeners, such as the connections of one event loop.
///
/// Its methods may be called on any thread and must not block.
public protocol EventReceiver: AnyObject, Sendable {
    /// The form in which data is delivered.
    var form: JSONForm { get }
    /// Receives an event for listeners of this receiver.
    ///
    /// Events are delivered one at a time, in the order of the change log. A listener that has just begun may receive
    /// an event that is older than the state that it has read; the token shows this.
    func receive(_ event: TreeEvent, for listeners: [UInt64])
    /// Ends listeners whose changes the store can no longer follow, for example because a query's index was removed.
    func cancel(_ listeners: [UInt64])
    /// Ends all listeners of this receiver, because the store has been closed.
    func end()
}

extension EventReceiver {
    /// The default form: values without priorities.
    public var form: JSONForm { .plain }
}

/// A listener at a node, identified by its id; ``TreeStore/stopListening(_:)`` ends it.
public struct Listener: Hashable, Sendable {
    /// The id that is passed to the receiver with each event.
    public let id: UInt64
    /// The path of the node.
    public let path: TreePath
    /// The query that selects children; nil for the whole value.
    public let query: TreeQuery?
    let unindexed: UnindexedQueries
}

/// A receiver, and the listeners for which it receives an event.
struct EventRecipient {
    let receiver: any EventReceiver
    private(set) var ids: [UInt64] = []

    /// Groups listeners by receiver.
    static func grouping(_ listeners: some Sequence<(UInt64, any EventReceiver)>) -> some Collection<EventRecipient> {
        var recipients: [ObjectIdentifier: EventRecipient] = [:]
        for (id, receiver) in listeners {
            recipients[ObjectIdentifier(receiver), default: EventRecipient(receiver: receiver)].ids.append(id)
        }
        return recipients.values
    }
}

extension Collection<EventRecipient> {
    /// Passes an event to all recipients; it is encoded once for each form.
    ///
    /// - Parameters:
    ///   - committedAt: The instant at which the update was durable; nil if unknown.
    ///   - event: Returns the event in a form; nil if there is nothing to report.
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
