#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A person's like of a post.
public struct Like: PageElement {
    /// The name of a list of likes in a document.
    public static let listName = "people"
    /// The name of the field that has the id of the person.
    public static let idName = "uid"

    /// The person who likes the post.
    public var person: Author
    /// The time of the like; nil if it is not stored.
    public var timestamp: Date?

    /// Creates a like.
    public init(person: Author, timestamp: Date? = nil) { (self.person, self.timestamp) = (person, timestamp) }

    /// Decodes a like from the fields of its person and its time.
    public init(from decoder: any Decoder) throws {
        person = try Author(from: decoder)
        var fields = try FieldReader(decoder)
        timestamp = fields.time("timestamp")
    }

    /// Encodes the like in the form of the service.
    public func encode(to encoder: any Encoder) throws {
        try person.encode(to: encoder)
        var fields = try FieldWriter(encoder)
        try fields.set("timestamp", time: timestamp)
    }
}
