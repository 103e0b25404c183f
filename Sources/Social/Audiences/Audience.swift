package import Model
package import Tree

/// An audience: a name, what kind of one it is, and who is a member.
package struct Audience: Sendable, Hashable {
    /// What an audience stands for.
    package enum Kind: String, Sendable, CaseIterable {
        case `class`, school, student, group
    }

    /// The longest name, in characters.
    package static let maxNameLength = 199

    package let id: AudienceID
    package let name: String
    /// A ``Kind``, unless a client of the database wrote something else.
    package let kind: String
    /// What whoever asks may do in it; nil for who is no member.
    package let role: AudienceRole?

    /// The audience, as somebody sees it; nil when it is not there.
    package init?(_ id: AudienceID, for uid: UserID?, in snapshot: TreeSnapshot) throws(TreeError) {
        let path = AudienceNodes.audience(id)
        guard try snapshot.exists(path) else { return nil }
        self.id = id
        // A client may have written anything.
        name = try snapshot.get(path / "name")?.stringValue ?? id.description
        kind = try snapshot.get(path / "kind")?.stringValue ?? Kind.group.rawValue
        role = try uid.flatMap { uid throws(TreeError) in try snapshot.role(of: uid, in: id) }
    }
}

/// Who does something with audiences.
package enum AudienceActor: Sendable {
    /// The owner of the service, who may do everything.
    case admin
    case user(UserID)

    package var uid: UserID? { if case .user(let uid) = self { uid } else { nil } }
}
