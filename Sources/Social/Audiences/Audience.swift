package import Model
package import Tree

/// An audience: its name, its kind, and the requester's role.
package struct Audience: Sendable, Hashable {
    /// The kinds of audiences.
    package enum Kind: String, Sendable, CaseIterable {
        case `class`, school, student, group
    }

    /// The longest name, in characters.
    package static let maxNameLength = 199

    package let id: AudienceID
    package let name: String
    /// The name of a ``Kind``, unless a client of the database wrote another value.
    package let kind: String
    /// The requester's role; nil for non-members.
    package let role: AudienceRole?
    package let times: EntityTimes

    /// Reads an audience for a requester; nil if it does not exist.
    package init?(_ id: AudienceID, for uid: UserID?, in snapshot: TreeSnapshot) throws(TreeError) {
        let path = AudienceNodes.audience(id)
        guard try snapshot.exists(path) else { return nil }
        self.id = id
        // The name may be of any type, because clients can write it.
        name = try snapshot.get(path / "name")?.stringValue ?? id.description
        kind = try snapshot.get(path / "kind")?.stringValue ?? Kind.group.rawValue
        times = try EntityTimes(at: TimeNodes.audience(id), in: snapshot)
        role = try uid.flatMap { uid throws(TreeError) in try snapshot.role(of: uid, in: id) }
    }
}

/// The requester of an operation on audiences.
package enum AudienceActor: Sendable {
    /// The owner of the service, who may do everything.
    case admin
    case user(UserID)

    package var uid: UserID? { if case .user(let uid) = self { uid } else { nil } }
}
