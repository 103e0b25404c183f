/// An audience: a group of people that posts can be limited to.
package struct AudienceDocument: Document {
    package let id: String
    package let name: String
    /// `class`, `school`, `student` or `group`.
    package let kind: String
    /// The requester's role: `owner`, `poster` or `reader`; nil for non-members.
    package var role: String?
    /// The roles of all members by user id; nil in lists.
    package var members: [String: String]?
    /// The times of the members' roles by user id; nil in lists.
    package var memberTimes: [String: TimesDocument]?
    /// The time of the creation, in milliseconds since the epoch; nil if it is not known.
    package var created: Int64?
    /// The time of the last change of the name or the kind, in milliseconds since the epoch; nil if it is not known.
    package var updated: Int64?

    private enum CodingKeys: String, CodingKey {
        case id, name, kind, role, members
        case memberTimes = "member_times"
        case created, updated
    }

    package init(id: String, name: String, kind: String) {
        self.id = id
        self.name = name
        self.kind = kind
    }
}

/// A page of audiences.
package struct AudiencePageDocument: Document {
    package let audiences: [AudienceDocument]
    package let hasMore: Bool
    /// The cursor of the next page; nil on the last page.
    package let next: String?

    private enum CodingKeys: String, CodingKey {
        case audiences
        case hasMore = "has_more"
        case next
    }

    package init(audiences: [AudienceDocument], next: String?) {
        self.audiences = audiences
        self.hasMore = next != nil
        self.next = next
    }
}

/// A member's role in an audience.
package struct AudienceMemberDocument: Document {
    package let audience: String
    package let uid: String
    /// `owner`, `poster` or `reader`; nil for non-members.
    package let role: String?
    /// The time at which the person became a member, in milliseconds since the epoch; nil for non-members, and if it is
    /// not known.
    package var created: Int64?
    /// The time of the last change of the role, in milliseconds since the epoch; nil for non-members, and if it is not
    /// known.
    package var updated: Int64?

    package init(audience: String, uid: String, role: String?) {
        self.audience = audience
        self.uid = uid
        self.role = role
    }
}

/// The deletion of an audience.
package struct AudienceDeletionDocument: Document {
    package let id: String
    package var deleted = true

    package init(id: String) { self.id = id }
}

/// The removal of a post from an audience.
package struct AudiencePostRemovalDocument: Document {
    package let audience: String
    package let postID: String
    /// Whether this was the post's last audience, so that the post is deleted.
    package let deleted: Bool

    private enum CodingKeys: String, CodingKey {
        case audience
        case postID = "post_id"
        case deleted
    }

    package init(audience: String, postID: String, deleted: Bool) {
        self.audience = audience
        self.postID = postID
        self.deleted = deleted
    }
}
