#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The state of a block between two people, after a request.
public struct BlockState: Decodable, Hashable, Sendable {
    /// The id of the person who blocks.
    public var blockerID: Person.ID
    /// The id of the person who is blocked.
    public var blockedID: Person.ID
    /// Whether the first has blocked the second.
    public var isBlocking: Bool
    /// The time of the block; nil without one, and if the service does not know it.
    public var createdAt: Date?

    /// Creates a state.
    public init(blockerID: Person.ID, blockedID: Person.ID, isBlocking: Bool) {
        (self.blockerID, self.blockedID, self.isBlocking) = (blockerID, blockedID, isBlocking)
    }

    /// Decodes a state.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        blockerID = try fields.required("blocker")
        blockedID = try fields.required("blocked")
        isBlocking = try fields.required("blocking")
        createdAt = fields.time("created")
    }
}
