#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A text from an admin to everybody, or to some people.
public struct Announcement: Entity {
    /// The name of a list of announcements in a document.
    public static let listName = "announcements"
    /// The name of the field that has the id.
    public static let idName = "id"

    /// The id of the announcement.
    public var id: EntityID<Announcement>
    /// The title; nil for none.
    public var title: String?
    /// The text.
    public var text: String
    /// The admin who wrote it; nil for the service itself.
    public var author: Person?
    /// The time of the announcement, by the service's clock.
    public var timestamp: Date
    /// The number of people whom it is for; nil for everybody.
    public var recipientCount: Int?
    /// The time at which the announcement was created; nil if the service does not know it.
    public var createdAt: Date?
    /// The time at which its text or its title was changed last; nil if the service does not know it.
    public var updatedAt: Date?
    /// The fields that this version does not know, by their names.
    public var additionalFields: [String: JSONValue] = [:]
    /// The parts of the decoded document that could not be read and are left out; mostly empty.
    public private(set) var faults: [DecodingFault] = []

    /// Creates an announcement.
    public init(id: ID, title: String? = nil, text: String, author: Person? = nil, timestamp: Date) {
        (self.id, self.title, self.text, self.author, self.timestamp) = (id, title, text, author, timestamp)
    }

    /// Decodes an announcement.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        id = try fields.required(Self.idName)
        title = fields.optional("title")
        text = try fields.required("text")
        author = fields.optional("author")
        timestamp = try fields.requiredTime("timestamp")
        recipientCount = fields.number("recipients")
        createdAt = fields.time("created")
        updatedAt = fields.time("updated")
        additionalFields = try fields.rest()
        faults = fields.faults
    }

    /// Encodes the announcement in the form of the service.
    public func encode(to encoder: any Encoder) throws {
        var fields = try FieldWriter(encoder, additional: additionalFields)
        try fields.set(Self.idName, id)
        try fields.set("title", title)
        try fields.set("text", text)
        try fields.set("author", author)
        try fields.set("timestamp", time: timestamp)
        try fields.set("recipients", recipientCount)
        try fields.set("created", time: createdAt)
        try fields.set("updated", time: updatedAt)
    }
}
