#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A comment on a post.
public struct Comment: Entity {
    /// The name of a list of comments in a document.
    public static let listName = "comments"
    /// The name of the field that has the id.
    public static let idName = "comment_id"

    /// The id of the comment, which is unique among the comments on its post.
    public var id: EntityID<Comment>
    /// The id of the post; nil if the document does not name it.
    public var postID: Post.ID?
    /// The person who wrote it.
    public var author: Author
    /// The text.
    public var text: String
    /// The mentions of people in the text, in its order.
    public var mentions: [Mention] = []
    /// The time of writing, by the service's clock.
    public var timestamp: Date
    /// The time of writing, by the clock of the author's device; nil if the device did not send it.
    public var clientTimestamp: Date?
    /// The time at which the text was changed last; nil if it never was.
    public var editedAt: Date?
    /// The time of that change, by the clock of the author's device; nil if the device did not send it.
    public var clientEditedAt: Date?
    /// The time at which the comment was created; nil if the service does not know it.
    public var createdAt: Date?
    /// The time at which the comment was changed last, by anybody; nil if the service does not know it.
    public var updatedAt: Date?
    /// The fields that this version does not know, by their names.
    public var additionalFields: [String: JSONValue] = [:]
    /// The parts of the decoded document that could not be read and are left out; mostly empty.
    public private(set) var faults: [DecodingFault] = []

    /// Creates a comment.
    public init(id: ID, postID: Post.ID?, author: Author, text: String, timestamp: Date) {
        (self.id, self.postID, self.author) = (id, postID, author)
        (self.text, self.timestamp) = (text, timestamp)
    }

    /// Decodes a comment; mentions that cannot be read are left out.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        id = try fields.required(Self.idName)
        postID = fields.optional("post_id")
        author = try fields.required("author")
        text = try fields.required("text")
        mentions = fields.list("mentions")
        timestamp = try fields.requiredTime("timestamp")
        clientTimestamp = fields.time("client_timestamp")
        editedAt = fields.time("edited")
        clientEditedAt = fields.time("client_edited")
        createdAt = fields.time("created")
        updatedAt = fields.time("updated")
        additionalFields = try fields.rest()
        faults = fields.faults
    }

    /// Encodes the comment in the form of the service.
    public func encode(to encoder: any Encoder) throws {
        var fields = try FieldWriter(encoder, additional: additionalFields)
        try fields.set(Self.idName, id)
        try fields.set("post_id", postID)
        try fields.set("author", author)
        try fields.set("text", text)
        try fields.set("mentions", list: mentions)
        try fields.set("timestamp", time: timestamp)
        try fields.set("client_timestamp", time: clientTimestamp)
        try fields.set("edited", time: editedAt)
        try fields.set("client_edited", time: clientEditedAt)
        try fields.set("created", time: createdAt)
        try fields.set("updated", time: updatedAt)
    }
}
