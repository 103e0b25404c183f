#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A notification of one person: somebody likes or comments on a post, mentions or follows the person, or announces
/// something.
///
/// It is not called `Notification`, because Foundation has a type of that name.
public struct SocialNotification: Entity {
    /// The cause of a notification.
    public enum Kind: RawRepresentable, Codable, Hashable, Sendable {
        /// Somebody likes a post of the person.
        case like
        /// Somebody has commented on a post of the person.
        case comment
        /// Somebody has mentioned the person in a post or a comment.
        case mention
        /// Somebody follows the person.
        case follow
        /// An admin has announced something.
        case announcement
        /// A kind that this version does not know.
        case other(String)

        /// Creates a kind from its name.
        public init(rawValue: String) {
            switch rawValue {
            case "like": self = .like
            case "comment": self = .comment
            case "mention": self = .mention
            case "follow": self = .follow
            case "announcement": self = .announcement
            default: self = .other(rawValue)
            }
        }

        /// The name as the service writes it.
        public var rawValue: String {
            switch self {
            case .like: "like"
            case .comment: "comment"
            case .mention: "mention"
            case .follow: "follow"
            case .announcement: "announcement"
            case .other(let name): name
            }
        }
    }

    /// The name of a list of notifications in a document.
    public static let listName = "notifications"
    /// The name of the field that has the id.
    public static let idName = "id"

    /// The id of the notification, by which it is marked as read.
    public var id: EntityID<SocialNotification>
    /// The cause.
    public var kind: Kind
    /// The person who caused it; nil for the service itself.
    public var actor: Person?
    /// The last people who like the post, `actor` first; empty unless several likes are combined.
    public var actors: [Person] = []
    /// The number of likes; nil unless several are combined.
    public var count: Int?
    /// The id of the post; nil for none.
    public var postID: Post.ID?
    /// The id of the comment; nil for none.
    public var commentID: Comment.ID?
    /// The id of the announcement; nil for none.
    public var announcementID: Announcement.ID?
    /// The title of the announcement; nil for none.
    public var title: String?
    /// The text of the comment, the post or the announcement; nil for none.
    public var text: String?
    /// The time of the cause, by the service's clock.
    public var timestamp: Date
    /// Whether the person has not read it.
    public var isUnread = false
    /// The time at which the notification was created; nil if the service does not know it.
    public var createdAt: Date?
    /// The time at which it was changed last, such as when it was read; nil if the service does not know it.
    public var updatedAt: Date?
    /// The fields that this version does not know, by their names.
    public var additionalFields: [String: JSONValue] = [:]
    /// The parts of the decoded document that could not be read and are left out; mostly empty.
    public private(set) var faults: [DecodingFault] = []

    /// Creates a notification.
    public init(id: ID, kind: Kind, actor: Person? = nil, postID: Post.ID? = nil, timestamp: Date) {
        (self.id, self.kind, self.actor, self.postID, self.timestamp) = (id, kind, actor, postID, timestamp)
    }

    /// Decodes a notification; people who cannot be read are left out.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        id = try fields.required(Self.idName)
        kind = try fields.required("kind")
        actor = fields.optional("actor")
        actors = fields.list("actors", idName: Person.idName)
        count = fields.number("count")
        postID = fields.optional("post")
        commentID = fields.optional("comment")
        announcementID = fields.optional("announcement")
        title = fields.optional("title")
        text = fields.optional("text")
        timestamp = try fields.requiredTime("timestamp")
        isUnread = fields.flag("unread")
        createdAt = fields.time("created")
        updatedAt = fields.time("updated")
        additionalFields = try fields.rest()
        faults = fields.faults
    }

    /// Encodes the notification in the form of the service.
    public func encode(to encoder: any Encoder) throws {
        var fields = try FieldWriter(encoder, additional: additionalFields)
        try fields.set(Self.idName, id)
        try fields.set("kind", kind)
        try fields.set("actor", actor)
        try fields.set("actors", list: actors)
        try fields.set("count", count)
        try fields.set("post", postID)
        try fields.set("comment", commentID)
        try fields.set("announcement", announcementID)
        try fields.set("title", title)
        try fields.set("text", text)
        try fields.set("timestamp", time: timestamp)
        try fields.set("unread", isUnread)
        try fields.set("created", time: createdAt)
        try fields.set("updated", time: updatedAt)
    }
}
