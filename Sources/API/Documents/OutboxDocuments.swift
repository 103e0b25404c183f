/// What is handed to the operator's address or program for each notification.
package struct DeliveryDocument: Document {
    /// The same each time that the same is delivered: whoever gets it twice knows by it.
    package let id: String
    /// The person to tell; nil for everybody.
    package let to: String?
    /// `like`, `comment`, `mention`, `follow` or `announcement`.
    package let kind: String
    /// Whoever has done it, by the present name; nil for the service itself.
    package let actor: PersonDocument?
    package let post: String?
    package let comment: String?
    package let announcement: String?
    package let title: String?
    /// What the comment or the announcement says.
    package let text: String?
    /// Milliseconds since the epoch.
    package let timestamp: Int64

    package init(id: String, to: String?, _ notification: NotificationDocument) {
        (self.id, self.to, kind, actor) = (id, to, notification.kind, notification.actor)
        (post, comment, announcement) = (notification.post, notification.comment, notification.announcement)
        (title, text, timestamp) = (notification.title, notification.text, notification.timestamp)
    }
}

/// A delivery that waits, or was given up.
package struct OutboxEntryDocument: Document {
    package let id: String
    /// The person to tell; nil for everybody.
    package let to: String?
    package let kind: String
    /// Whether it was given up.
    package let isDead: Bool
    /// Milliseconds since the epoch.
    package let since: Int64
    /// How often it was tried in vain.
    package let attempts: Int
    /// The time before which it is not tried again, in milliseconds since the epoch.
    package let due: Int64?
    /// Why the last try failed.
    package let error: String?

    private enum CodingKeys: String, CodingKey {
        case id, to, kind
        case isDead = "dead"
        case since, attempts, due, error
    }

    package init(
        id: String, to: String?, kind: String, isDead: Bool, since: Int64, attempts: Int, due: Int64?, error: String?
    ) {
        (self.id, self.to, self.kind, self.isDead) = (id, to, kind, isDead)
        (self.since, self.attempts, self.due, self.error) = (since, attempts, due, error)
    }
}

/// A page of deliveries.
package struct OutboxPageDocument: Document {
    package var deliveries: [OutboxEntryDocument]
    package var hasMore: Bool
    /// From where the next page goes on; nil when there is none.
    package var next: String?

    private enum CodingKeys: String, CodingKey {
        case deliveries
        case hasMore = "has_more"
        case next
    }

    package init(deliveries: [OutboxEntryDocument], next: String?) {
        self.deliveries = deliveries
        hasMore = next != nil
        self.next = next
    }
}
