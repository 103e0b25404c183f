#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The receipt of a person's deletion, which takes a while.
public struct PersonDeletion: Decodable, Hashable, Sendable {
    /// The id of the person.
    public var personID: Person.ID
    /// The time at which the deletion began.
    public var beganAt: Date
    /// The time at which it was complete; nil before.
    public var endedAt: Date?
    /// The numbers of what was deleted so far, by kind, such as `posts` and `comments`.
    public var removedCounts: [String: Int]

    /// Decodes a receipt.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        personID = try fields.required(Person.idName)
        beganAt = try fields.requiredTime("began")
        endedAt = fields.time("ended")
        removedCounts = fields.dictionary("removed") ?? [:]
    }
}
