#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The role of a person in an audience, after a request.
public struct AudienceMember: Decodable, Hashable, Sendable {
    /// The id of the audience.
    public var audienceID: Audience.ID
    /// The id of the person.
    public var personID: Person.ID
    /// The role; nil for somebody who is not a member any more.
    public var role: Audience.Role?
    /// The time at which the person became a member; nil if the service does not know it.
    public var createdAt: Date?
    /// The time at which the role was changed last; nil if the service does not know it.
    public var updatedAt: Date?

    /// Decodes a role.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        audienceID = try fields.required("audience")
        personID = try fields.required(Person.idName)
        role = fields.optional("role")
        createdAt = fields.time("created")
        updatedAt = fields.time("updated")
    }
}
