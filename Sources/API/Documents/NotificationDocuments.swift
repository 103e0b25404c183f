/// A notification of one user.
package struct NotificationDocument: Document {
    /// The notification's id, by which it is marked as read.
    package let id: String
    /// `like`, `comment`, `mention`, `follow` or `announcement`; clients skip kinds that they do not support.
    package let kind: String
    /// The person who caused the notification, with the present name; nil for the service itself.
    package let actor: PersonDocument?
    /// The last users who like the post, `actor` first; nil unless several likes are combined.
    package var actors: [PersonDocument]?
    /// The number of likes; nil unless several are combined.
    package var count: Int?
    /// The id of the post.
    package let post: String?
    /// The id of the comment.
    package let comment: String?
    /// The id of the announcement.
    package let announcement: String?
    package let title: String?
    /// The text of the comment or the announcement.
    package var text: String?
    /// The time of its cause, in milliseconds since the epoch.
    package let timestamp: Int64
    package var isUnread: Bool
    /// The time of the creation, in milliseconds since the epoch.
    package var created: Int64?
    /// The time of the last change, such as its reading, in milliseconds since the epoch.
    package var updated: Int64?

    private enum CodingKeys: String, CodingKey {
        case id, kind, actor, actors, count, post, comment, announcement, title, text, timestamp
        case isUnread = "unread"
        case created, updated
    }

    package init(
        id: String, kind: String, actor: PersonDocument? = nil, post: String? = nil, comment: String? = nil,
        announcement: String? = nil, title: String? = nil, text: String? = nil, timestamp: Int64, isUnread: Bool
    ) {
        (self.id, self.kind, self.actor, self.post, self.comment) = (id, kind, actor, post, comment)
        (self.announcement, self.title, self.text) = (announcement, title, text)
        (self.timestamp, self.isUnread) = (timestamp, isUnread)
        created = timestamp > 0 ? timestamp : nil
        updated = created
    }
}

/// A page of a user's notifications, the newest first, with announcements among them.
package struct NotificationPageDocument: Document {
    package var notifications: [NotificationDocument]
    package var hasMore: Bool
    /// The cursor of the next page; nil on the last page.
    package var next: String?
    /// The number of all unread notifications.
    package var unread: Int

    private enum CodingKeys: String, CodingKey {
        case notifications
        case hasMore = "has_more"
        case next, unread
    }

    package init(notifications: [NotificationDocument], hasMore: Bool, next: String?, unread: Int) {
        self.notifications = notifications
        self.hasMore = hasMore
        self.next = next
        self.unread = unread
    }
}

/// The number of unread notifications after some were marked as read.
package struct UnreadDocument: Document {
    package let unread: Int

    package init(unread: Int) { self.unread = unread }
}

/// A text from an admin to everybody or to some users.
package struct AnnouncementDocument: Document {
    package let id: String
    package let title: String?
    package let text: String
    package let author: PersonDocument?
    /// The time of the announcement, in milliseconds since the epoch.
    package let timestamp: Int64
    /// The number of recipients; nil for everybody.
    package let recipients: Int?
    /// The time of the creation, in milliseconds since the epoch; nil if it is not known.
    package var created: Int64?
    /// The time of the last change, in milliseconds since the epoch; nil if it is not known.
    package var updated: Int64?

    package init(
        id: String, title: String?, text: String, author: PersonDocument?, timestamp: Int64, recipients: Int? = nil
    ) {
        (self.id, self.title, self.text, self.author) = (id, title, text, author)
        (self.timestamp, self.recipients) = (timestamp, recipients)
    }
}

/// A page of announcements to everybody, the newest first.
package struct AnnouncementPageDocument: Document {
    package var announcements: [AnnouncementDocument]
    package var hasMore: Bool
    /// The cursor of the next page; nil on the last page.
    package var next: String?

    private enum CodingKeys: String, CodingKey {
        case announcements
        case hasMore = "has_more"
        case next
    }

    package init(announcements: [AnnouncementDocument], hasMore: Bool, next: String?) {
        self.announcements = announcements
        self.hasMore = hasMore
        self.next = next
    }
}

/// The deletion of an announcement.
package struct AnnouncementDeletionDocument: Document {
    package let id: String
    package var deleted = true

    package init(id: String) { self.id = id }
}
