/// The data of a notification that is delivered to the operator's address or program.
package struct DeliveryDocument: Document {
    /// The id of the delivery, which stays the same when it is repeated, so that a receiver can recognise duplicates.
    package let id: String
    /// The recipient; nil for everybody.
    package let to: String?
    /// `like`, `comment`, `mention`, `follow` or `announcement`.
    package let kind: String
    /// The person who caused the notification, with the present name; nil for the service itself.
    package let actor: PersonDocument?
    package let post: String?
    package let comment: String?
    package let announcement: String?
    package let title: String?
    /// The text of the comment or the announcement.
    package let text: String?
    /// The time of its cause, in milliseconds since the epoch.
    package let timestamp: Int64

    package init(id: String, to: String?, _ notification: NotificationDocument) {
        (self.id, self.to, kind, actor) = (id, to, notification.kind, notification.actor)
        (post, comment, announcement) = (notification.post, notification.comment, notification.announcement)
        (title, text, timestamp) = (notification.title, notification.text, notification.timestamp)
    }
}

/// A delivery that waits, or that was given up.
package struct OutboxEntryDocument: Document {
    package let id: String
    /// The recipient; nil for everybody.
    package let to: String?
    package let kind: String
    /// Whether the delivery was given up (a dead letter).
    package let isDead: Bool
    /// The time since which it waits, in milliseconds since the epoch.
    package let since: Int64
    /// The number of failed attempts.
    package let attempts: Int
    /// The earliest time of the next attempt, in milliseconds since the epoch.
    package let due: Int64?
    /// The error of the last attempt.
    package let error: String?
    /// The time of its cause, as `since`.
    package let created: Int64?
    /// The time of the last attempt, or of the request to retry; before, that of its cause.
    package let updated: Int64?

    private enum CodingKeys: String, CodingKey {
        case id, to, kind
        case isDead = "dead"
        case since, attempts, due, error, created, updated
    }

    package init(
        id: String, to: String?, kind: String, isDead: Bool, since: Int64, attempts: Int, due: Int64?, error: String?,
        updated: Int64
    ) {
        (created, self.updated) = (since, updated)
        (self.id, self.to, self.kind, self.isDead) = (id, to, kind, isDead)
        (self.since, self.attempts, self.due, self.error) = (since, attempts, due, error)
    }
}

/// A page of deliveries.
package struct OutboxPageDocument: Document {
    package var deliveries: [OutboxEntryDocument]
    package var hasMore: Bool
    /// The cursor of the next page; nil on the last page.
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
