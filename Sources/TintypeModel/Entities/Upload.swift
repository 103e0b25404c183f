#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The state of an upload, which becomes a post, a person's picture, or a photo of a draft.
public struct Upload: Entity {
    /// The name of a list of uploads in a document.
    public static let listName = "uploads"
    /// The name of the field that has the id.
    public static let idName = "upload_id"

    /// The id of the upload, and of the post that it becomes.
    public var id: EntityID<Upload>
    /// The id of the person whose upload it is.
    public var userID: Person.ID
    /// The purpose.
    public var purpose = Purpose.post
    /// The way in by which it arrived, such as `socket` or `inbox`; nil if it is not known.
    public var intake: String?
    /// The state.
    public var state: State
    /// The time at which the upload was begun, by the service's clock.
    public var createdAt: Date
    /// The time at which its state or its text was changed last.
    public var updatedAt: Date
    /// The time at which the post was made, by the clock of the author's device; nil if the device did not send it.
    public var clientTimestamp: Date?
    /// The number of attempts to render it.
    public var attempts = 0
    /// The number of bytes that are safe, of a photo that is sent in several requests; nil unless it is being received.
    public var receivedByteCount: Int64?
    /// The number of all bytes of that photo; nil if it is not known.
    public var expectedByteCount: Int64?
    /// The text of the post; nil for none.
    public var text: String?
    /// The key with which the app has sent the upload; nil for none.
    public var clientReference: String?
    /// The audiences of the post; empty for everybody.
    public var audiences: [Audience.ID] = []
    /// The path of the upload's post, or of an earlier post with the same photos; nil for none.
    public var postPath: String?
    /// The id of the draft to which the photo belongs; nil for other purposes.
    public var draftID: Upload.ID?
    /// The photo's position in the draft; nil for other purposes.
    public var number: Int?
    /// The reason why the upload has failed, or waits; nil if there is none.
    public var failure: Failure?
    /// The photos, in their order.
    public var photos: [Photo] = []
    /// The fields that this version does not know, by their names.
    public var additionalFields: [String: JSONValue] = [:]
    /// The parts of the decoded document that could not be read and are left out; mostly empty.
    public private(set) var faults: [DecodingFault] = []

    /// The id of the upload's post, or of an earlier post with the same photos; nil for none.
    public var postID: Post.ID? {
        guard let path = postPath, path.hasPrefix("/v1/posts/") else { return nil }
        let key = path.dropFirst("/v1/posts/".count)
        return key.isEmpty || key.contains("/") ? nil : Post.ID(String(key))
    }

    /// Creates an upload.
    public init(id: ID, userID: Person.ID, state: State, createdAt: Date, updatedAt: Date? = nil) {
        (self.id, self.userID, self.state) = (id, userID, state)
        (self.createdAt, self.updatedAt) = (createdAt, updatedAt ?? createdAt)
    }
}

extension Upload {
    /// Decodes an upload; photos that cannot be read are left out.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        id = try fields.required(Self.idName)
        userID = try fields.required("user")
        purpose = fields.optional("purpose") ?? .post
        intake = fields.optional("door")
        state = try fields.required("state")
        let created = fields.time("created")
        createdAt = try created ?? fields.requiredTime("created_at")
        updatedAt = fields.time("updated") ?? fields.time("updated_at") ?? createdAt
        fields.ignore("created_at", "updated_at")
        clientTimestamp = fields.time("client_timestamp")
        attempts = fields.number("attempts") ?? 0
        receivedByteCount = fields.integer("received_bytes")
        expectedByteCount = fields.integer("expected_bytes")
        text = fields.optional("text")
        clientReference = fields.optional("client_ref")
        audiences = fields.ids("audiences")
        postPath = fields.optional("post")
        draftID = fields.optional("draft")
        number = fields.number("number")
        failure = fields.optional("error")
        photos = fields.list("photos")
        additionalFields = try fields.rest()
        faults = fields.faults
    }

    /// Encodes the upload in the form of the service.
    public func encode(to encoder: any Encoder) throws {
        var fields = try FieldWriter(encoder, additional: additionalFields)
        try fields.set(Self.idName, id)
        try fields.set("user", userID)
        try fields.set("purpose", purpose == .post ? nil : purpose)
        try fields.set("door", intake)
        try fields.set("state", state)
        try fields.set("created_at", time: createdAt)
        try fields.set("updated_at", time: updatedAt)
        try fields.set("client_timestamp", time: clientTimestamp)
        try fields.set("attempts", attempts)
        try fields.set("received_bytes", receivedByteCount)
        try fields.set("expected_bytes", expectedByteCount)
        try fields.set("text", text)
        try fields.set("client_ref", clientReference)
        try fields.set("audiences", list: audiences)
        try fields.set("post", postPath)
        try fields.set("draft", draftID)
        try fields.set("number", number)
        try fields.set("error", failure)
        try fields.set("photos", list: photos)
    }
}
