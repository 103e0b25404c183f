#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The state of a follow between two people, after a request.
public struct FollowState: Decodable, Hashable, Sendable {
    /// The id of the person who follows.
    public var followerID: Person.ID
    /// The id of the person who is followed.
    public var followeeID: Person.ID
    /// Whether the first follows the second.
    public var isFollowing: Bool
    /// The time of the follow; nil without one, and if the service does not know it.
    public var createdAt: Date?

    /// Creates a state.
    public init(followerID: Person.ID, followeeID: Person.ID, isFollowing: Bool) {
        (self.followerID, self.followeeID, self.isFollowing) = (followerID, followeeID, isFollowing)
    }

    /// Decodes a state.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        followerID = try fields.required("follower")
        followeeID = try fields.required("followee")
        isFollowing = try fields.required("following")
        createdAt = fields.time("created")
    }
}
