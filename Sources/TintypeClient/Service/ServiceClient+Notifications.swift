public import TintypeModel

/// Notifications and announcements. Pages have 20 elements without a limit, and 200 at most.
extension ServiceClient {
    /// Returns a page of a person's notifications and the announcements among them, the newest first, with the number of
    /// all unread ones.
    ///
    /// - Parameters:
    ///   - person: The id of the person.
    ///   - isGrouped: Whether the likes of one post are one notification.
    ///   - cursor: The `next` of the page before; nil for the first page.
    ///   - limit: The largest number of elements; nil for 20.
    public func notifications(
        of person: Person.ID, isGrouped: Bool = false, before cursor: Cursor? = nil, limit: Int? = nil
    ) async throws -> Answer<Page<SocialNotification>> {
        let query = isGrouped ? [ServiceRequest.QueryField("grouped", "true")] : []
        return try await page(
            ["v1", "people", person.rawValue, "notifications"], before: cursor, limit: limit, query: query)
    }

    /// Marks notifications of a person as read, and returns the number of those that are still unread.
    public func markAsRead(
        _ selection: NotificationSelection, of person: Person.ID, idempotencyKey: String? = nil
    ) async throws -> Answer<Int> {
        let answer: Answer<[String: Int]> = try await answer(
            "POST", ["v1", "people", person.rawValue, "notifications", "read"], selection.fields,
            idempotencyKey: idempotencyKey)
        return answer.map { $0["unread"] ?? 0 }
    }

    /// Returns a page of the announcements to everybody, the newest first.
    public func announcements(
        before cursor: Cursor? = nil, limit: Int? = nil
    ) async throws -> Answer<Page<Announcement>> {
        try await page(["v1", "announcements"], before: cursor, limit: limit)
    }

    /// Announces something, as an admin.
    ///
    /// - Parameters:
    ///   - text: The text, of 1 to 1,999 characters.
    ///   - title: The title; nil for none.
    ///   - people: The people whom it is for, at most 1,000; nil for everybody.
    ///   - idempotencyKey: A key of 1 to 200 printable ASCII characters; the same request again gives the same
    ///     announcement.
    public func announce(
        _ text: String, title: String? = nil, to people: [Person.ID]? = nil, idempotencyKey: String? = nil
    ) async throws -> Answer<Announcement> {
        let ids = people.map { JSONValue.array($0.map { .string($0.rawValue) }) }
        return try await answer(
            "POST", ["v1", "announcements"],
            ["text": .string(text), "title": title.map(JSONValue.string), "to": ids], idempotencyKey: idempotencyKey)
    }

    /// Withdraws an announcement, as an admin.
    public func withdrawAnnouncement(_ announcement: Announcement.ID) async throws -> Answer<Void> {
        try await confirmation(of: ServiceRequest("DELETE", ["v1", "announcements", announcement.rawValue]))
    }
}

/// The notifications that a person has read.
public enum NotificationSelection: Hashable, Sendable {
    /// All.
    case all
    /// One and all before it, and therefore none that has arrived meanwhile.
    case upTo(SocialNotification.ID)
    /// Some, at most 200; if they are grouped, with the older likes of the same posts.
    case some([SocialNotification.ID], isGrouped: Bool = false)

    var fields: [String: JSONValue?] {
        switch self {
        case .all: ["all": true]
        case .upTo(let id): ["up_to": .string(id.rawValue)]
        case .some(let ids, let isGrouped):
            ["ids": .array(ids.map { .string($0.rawValue) }), "grouped": isGrouped ? true : nil]
        }
    }
}
