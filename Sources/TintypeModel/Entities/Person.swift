#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A person with a profile.
public struct Person: Entity {
    /// The numbers of a person's posts, followers and followees.
    public struct Counts: Codable, Hashable, Sendable {
        /// The number of posts for everybody.
        public var posts: Int
        /// The number of people who follow the person.
        public var followers: Int
        /// The number of people whom the person follows.
        public var following: Int

        /// Creates counts.
        public init(posts: Int = 0, followers: Int = 0, following: Int = 0) {
            (self.posts, self.followers, self.following) = (posts, followers, following)
        }

        /// Decodes counts; a missing one is 0, as the tree does not store zeros.
        public init(from decoder: any Decoder) throws {
            var fields = try FieldReader(decoder)
            posts = fields.number("posts") ?? 0
            followers = fields.number("followers") ?? 0
            following = fields.number("following") ?? 0
        }
    }

    /// The name of a list of people in a document.
    public static let listName = "people"
    /// The name of the field that has the id.
    public static let idName = "uid"

    /// The id of the person.
    public var id: EntityID<Person>
    /// The name; nil if a client of the database has left it out.
    public var name: String?
    /// The address of the picture; nil for none.
    public var picture: MediaAddress?
    /// The role, such as "speaker"; nil for none.
    public var role: String?
    /// The person's own description; nil for none.
    public var bio: String?
    /// The person's counts; nil in lists, and if the user may not read them.
    public var counts: Counts?
    /// Whether the user follows the person; nil in lists, and without a user.
    public var isFollowed: Bool?
    /// Whether the user has blocked the person; nil in lists, and without a user.
    public var isBlocked: Bool?
    /// The time at which the person was created; nil if the service does not know it.
    public var createdAt: Date?
    /// The time at which the profile was changed last; nil if the service does not know it.
    public var updatedAt: Date?
    /// The fields that this version does not know, by their names.
    public var additionalFields: [String: JSONValue] = [:]
    /// The parts of the decoded document that could not be read and are left out; mostly empty.
    public private(set) var faults: [DecodingFault] = []

    /// The name, or the id of a person without one.
    public var displayName: String { name ?? id.rawValue }

    /// Creates a person.
    public init(id: ID, name: String? = nil, picture: MediaAddress? = nil) {
        (self.id, self.name, self.picture) = (id, name, picture)
    }

    /// Decodes a person.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        id = try fields.required(Self.idName)
        name = fields.optional("full_name")
        picture = fields.optional("profile_picture")
        role = fields.optional("role")
        bio = fields.optional("bio")
        counts = fields.optional("counts")
        isFollowed = fields.optional("followed")
        isBlocked = fields.optional("blocked")
        createdAt = fields.time("created")
        updatedAt = fields.time("updated")
        additionalFields = try fields.rest()
        faults = fields.faults
    }

    /// Encodes the person in the form of the service.
    public func encode(to encoder: any Encoder) throws {
        var fields = try FieldWriter(encoder, additional: additionalFields)
        try fields.set(Self.idName, id)
        try fields.set("full_name", name)
        try fields.set("profile_picture", picture)
        try fields.set("role", role)
        try fields.set("bio", bio)
        try fields.set("counts", counts)
        try fields.set("followed", isFollowed)
        try fields.set("blocked", isBlocked)
        try fields.set("created", time: createdAt)
        try fields.set("updated", time: updatedAt)
    }
}
