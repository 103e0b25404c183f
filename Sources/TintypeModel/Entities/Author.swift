/// The person who wrote a post or a comment, with the name and the picture that are stored in it.
public struct Author: Codable, Hashable, Identifiable, Sendable {
    /// The id of the person.
    public var id: Person.ID
    /// The name; nil if it is not stored.
    public var name: String?
    /// The address of the person's picture; nil for none.
    public var picture: MediaAddress?

    /// The name, or the id of an author without one.
    public var displayName: String { name ?? id.rawValue }

    /// Creates an author.
    public init(id: Person.ID, name: String? = nil, picture: MediaAddress? = nil) {
        (self.id, self.name, self.picture) = (id, name, picture)
    }

    /// Decodes an author; a name or a picture that is not a string is left out.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        id = try fields.required("uid")
        name = fields.optional("full_name")
        picture = fields.optional("profile_picture")
    }

    /// Encodes the author in the form of the service.
    public func encode(to encoder: any Encoder) throws {
        var fields = try FieldWriter(encoder)
        try fields.set("uid", id)
        try fields.set("full_name", name)
        try fields.set("profile_picture", picture)
    }
}
