#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A post: photos, a text, or both.
///
/// Clients of the database write posts, too. Only the id, the author's id and the timestamp are therefore certain.
public struct Post: Entity {
    /// The name of a list of posts in a document.
    public static let listName = "posts"
    /// The name of the field that has the id.
    public static let idName = "post_id"

    /// The id of the post.
    public var id: EntityID<Post>
    /// The kind of the content, by which an app chooses a view.
    public var kind: Kind
    /// The person who posted it.
    public var author: Author
    /// The text; nil for none.
    public var text: String?
    /// The mentions of people in the text, in its order.
    public var mentions: [Mention] = []
    /// The photos, in their order.
    public var photos: [Photo] = []
    /// The addresses of the first photo under the names that FriendlyPix uses, also of posts whose client wrote only them.
    public var firstPhoto = FirstPhoto()
    /// The time of publication, by the service's clock.
    public var timestamp: Date
    /// The time at which the post was made, by the clock of the author's device; nil if the device did not send it.
    public var clientTimestamp: Date?
    /// The time at which the author changed it last; nil if it never was changed.
    public var editedAt: Date?
    /// The time of that change, by the clock of the author's device; nil if the device did not send it.
    public var clientEditedAt: Date?
    /// The time at which the post was created; nil if the service does not know it.
    public var createdAt: Date?
    /// The time at which the post was changed last, by anybody; nil if the service does not know it.
    public var updatedAt: Date?
    /// The audiences of the post; empty for everybody.
    public var audiences: [Audience.ID] = []
    /// The key with which the author's app has sent the post; nil for none.
    public var clientReference: String?
    /// The number of the change that published the post; nil for posts of earlier versions.
    public var publicationNumber: Int64?
    /// The numbers of likes and comments; nil outside of lists, and if the user may not read them.
    public var counts: Counts?
    /// Whether the user likes the post; nil outside of lists, and if the user may not read likes.
    public var isLiked: Bool?
    /// The first comments; empty outside of lists.
    public var comments: [Comment] = []
    /// The position in the list, by which lists are ordered and at which a page after the post begins; nil outside of
    /// lists in the order of publication.
    public var position: Cursor?
    /// The fields that this version does not know, by their names.
    public var additionalFields: [String: JSONValue] = [:]
    /// The parts of the decoded document that could not be read and are left out; mostly empty.
    public private(set) var faults: [DecodingFault] = []

    /// Creates a post.
    public init(id: ID, author: Author, text: String? = nil, photos: [Photo] = [], timestamp: Date) {
        (self.id, self.author, self.text, self.photos, self.timestamp) = (id, author, text, photos, timestamp)
        kind = Kind(hasPhotos: !photos.isEmpty, hasText: text?.isEmpty == false)
    }
}

extension Post {
    /// Decodes a post; photos, mentions and comments that cannot be read are left out.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        id = try fields.required(Self.idName)
        author = try fields.required("author")
        text = fields.optional("text")
        mentions = fields.list("mentions")
        photos = fields.list("photos")
        firstPhoto = FirstPhoto(&fields)
        let hasPhotos = !photos.isEmpty || firstPhoto.full != nil
        kind = fields.optional("kind") ?? Kind(hasPhotos: hasPhotos, hasText: text?.isEmpty == false)
        timestamp = try fields.requiredTime("timestamp")
        clientTimestamp = fields.time("client_timestamp")
        editedAt = fields.time("edited")
        clientEditedAt = fields.time("client_edited")
        createdAt = fields.time("created")
        updatedAt = fields.time("updated")
        audiences = fields.ids("audiences")
        clientReference = fields.optional("client_ref")
        publicationNumber = fields.integer("published")
        counts = fields.optional("counts")
        isLiked = fields.optional("liked")
        comments = fields.list("comments", idName: Comment.idName)
        for index in comments.indices where comments[index].postID == nil { comments[index].postID = id }
        position = fields.optional("position")
        additionalFields = try fields.rest()
        faults = fields.faults
    }

    /// Encodes the post in the form of the service.
    public func encode(to encoder: any Encoder) throws {
        var fields = try FieldWriter(encoder, additional: additionalFields)
        try fields.set(Self.idName, id)
        try fields.set("kind", kind)
        try fields.set("author", author)
        try fields.set("text", text)
        try fields.set("mentions", list: mentions)
        try fields.set("photos", list: photos)
        try firstPhoto.write(to: &fields)
        try fields.set("timestamp", time: timestamp)
        try fields.set("client_timestamp", time: clientTimestamp)
        try fields.set("edited", time: editedAt)
        try fields.set("client_edited", time: clientEditedAt)
        try fields.set("created", time: createdAt)
        try fields.set("updated", time: updatedAt)
        try fields.set("audiences", ids: audiences)
        try fields.set("client_ref", clientReference)
        try fields.set("published", publicationNumber)
        try fields.set("counts", counts)
        try fields.set("liked", isLiked)
        try fields.set("comments", list: comments)
        try fields.set("position", position)
    }
}
