import TreeModel

/// The role of a member of an audience.
package enum AudienceRole: String, Sendable, CaseIterable {
    /// The right to read, post, and change the audience and its members.
    case owner
    /// The right to read and post.
    case poster
    /// The right to read.
    case reader

    /// The largest number of members of an audience.
    package static let maxMembers = 5000

    package var mayPost: Bool { self != .reader }

    /// Whether the role has all rights of another one, which may be none.
    package func includes(_ other: AudienceRole?) -> Bool {
        switch (self, other) {
        case (_, nil), (.owner, _), (.poster, .poster), (.poster, .reader), (.reader, .reader): true
        case (.poster, .owner), (.reader, .owner), (.reader, .poster): false
        }
    }
}

extension AudienceRole: FieldValue {}
