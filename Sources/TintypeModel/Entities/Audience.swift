#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An audience: a group of people that posts can be limited to.
public struct Audience: Entity {
    /// The kind of group.
    public enum Kind: RawRepresentable, Codable, Hashable, Sendable {
        /// A class of a school.
        case schoolClass
        /// A school.
        case school
        /// A student, with the family.
        case student
        /// Any other group.
        case group
        /// A kind that this version does not know.
        case other(String)

        /// Creates a kind from its name.
        public init(rawValue: String) {
            switch rawValue {
            case "class": self = .schoolClass
            case "school": self = .school
            case "student": self = .student
            case "group": self = .group
            default: self = .other(rawValue)
            }
        }

        /// The name as the service writes it.
        public var rawValue: String {
            switch self {
            case .schoolClass: "class"
            case .school: "school"
            case .student: "student"
            case .group: "group"
            case .other(let name): name
            }
        }
    }

    /// The role of a member.
    public enum Role: RawRepresentable, Codable, Hashable, Sendable {
        /// Reads, posts, and changes the audience.
        case owner
        /// Reads and posts.
        case poster
        /// Reads.
        case reader
        /// A role that this version does not know.
        case other(String)

        /// Creates a role from its name.
        public init(rawValue: String) {
            switch rawValue {
            case "owner": self = .owner
            case "poster": self = .poster
            case "reader": self = .reader
            default: self = .other(rawValue)
            }
        }

        /// The name as the service writes it.
        public var rawValue: String {
            switch self {
            case .owner: "owner"
            case .poster: "poster"
            case .reader: "reader"
            case .other(let name): name
            }
        }

        /// Whether such a member may post.
        public var canPost: Bool { self == .owner || self == .poster }
    }

    /// The name of a list of audiences in a document.
    public static let listName = "audiences"
    /// The name of the field that has the id.
    public static let idName = "id"

    /// The id of the audience.
    public var id: EntityID<Audience>
    /// The name.
    public var name: String
    /// The kind of group.
    public var kind: Kind
    /// The user's role; nil for someone who is not a member.
    public var role: Role?
    /// The roles of all members; nil in lists.
    public var members: [Person.ID: Role]?
    /// The time at which the audience was created; nil if the service does not know it.
    public var createdAt: Date?
    /// The time at which its name, its kind or its members were changed last; nil if the service does not know it.
    public var updatedAt: Date?
    /// The fields that this version does not know, by their names.
    public var additionalFields: [String: JSONValue] = [:]
    /// The parts of the decoded document that could not be read and are left out; mostly empty.
    public private(set) var faults: [DecodingFault] = []

    /// Creates an audience.
    public init(id: ID, name: String, kind: Kind = .group, role: Role? = nil) {
        (self.id, self.name, self.kind, self.role) = (id, name, kind, role)
    }

    /// Decodes an audience; members whose role cannot be read are left out.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        id = try fields.required(Self.idName)
        name = try fields.required("name")
        kind = try fields.required("kind")
        role = fields.optional("role")
        members = fields.dictionary("members", of: Role.self).map { members in
            Dictionary(uniqueKeysWithValues: members.map { (Person.ID($0.key), $0.value) })
        }
        createdAt = fields.time("created")
        updatedAt = fields.time("updated")
        additionalFields = try fields.rest()
        faults = fields.faults
    }

    /// Encodes the audience in the form of the service.
    public func encode(to encoder: any Encoder) throws {
        var fields = try FieldWriter(encoder, additional: additionalFields)
        try fields.set(Self.idName, id)
        try fields.set("name", name)
        try fields.set("kind", kind)
        try fields.set("role", role)
        try fields.set("members", members)
        try fields.set("created", time: createdAt)
        try fields.set("updated", time: updatedAt)
    }
}
