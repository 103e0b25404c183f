package import API
package import Model
package import Tree

/// What people have agreed to: at `privacy/{uid}`, three switches. One that is not there is on.
package struct Privacy: Sendable {
    package enum Switch: String, CaseIterable, Sendable {
        /// That what they do is kept at all: posts, comments, likes, follows.
        case dataProcessing = "data_processing"
        /// That what they write and photograph is published.
        case content
        /// That they are found: by their name, and in the list of all people.
        case social

        var key: TreeKey { TreeKey(unchecked: rawValue) }
    }

    private let tree: TreeStore

    package init(_ tree: TreeStore) { self.tree = tree }

    /// What somebody has agreed to; nil for whoever is not there and has not said anything.
    package func switches(of uid: UserID) async throws -> (document: PrivacyDocument, token: SyncToken)? {
        try await tree.snapshot { snapshot in
            guard try snapshot.exists(PeopleNodes.person(uid)) || snapshot.exists(PeopleNodes.privacy(uid)) else {
                return nil
            }
            func isOn(_ one: Switch) throws(TreeError) -> Bool { try snapshot.isOn(one, of: uid) }
            return (
                PrivacyDocument(
                    dataProcessing: try isOn(.dataProcessing), content: try isOn(.content), social: try isOn(.social)),
                try snapshot.token
            )
        }
    }

    /// Changes some of the switches. What follows, follows in the same commit.
    package func change(_ uid: UserID, _ changes: [Switch: Bool]) async throws {
        guard !changes.isEmpty else { return }
        try await tree.transact { snapshot, update in
            for (one, isOn) in changes { update[PeopleNodes.privacy(uid) / one.key] = .bool(isOn) }
        }
    }
}

extension TreeSnapshot {
    /// Whether somebody has agreed to something, or not said anything about it.
    func isOn(_ one: Privacy.Switch, of uid: UserID) throws(TreeError) -> Bool {
        try get(PeopleNodes.privacy(uid) / one.key) != false
    }

    /// Sees to it that somebody has agreed to what they are about to do.
    ///
    /// - Parameter isContent: Whether anything is published with it that they have written or photographed.
    /// - Throws: `Failure` with the code `not_consented`.
    package func requireConsent(of uid: UserID, toContent isContent: Bool) throws {
        for one in isContent ? [Privacy.Switch.dataProcessing, .content] : [.dataProcessing] {
            guard try isOn(one, of: uid) else {
                throw Failure(
                    .notConsented, "\(uid) has not agreed to this: \(one.rawValue) is off",
                    hint: "PATCH /v1/people/{uid}/privacy changes it")
            }
        }
    }
}

/// Has nobody found by a name who does not want to be, and everybody else: what ``SearchKeys`` and ``NameIndex`` keep goes and comes
/// with the switch.
struct SearchPrivacy: Derivation {
    let place = TreePattern(PeopleNodes.privacy.path / "social")

    func writes(
        for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard node.before != node.after, let uid = UserID(node.keys[0].string),
            let name = try snapshot.nameAndPicture(of: uid).fullName
        else { return [] }
        let isFound = try snapshot.isOn(.social, of: uid)
        return SearchKeys.writes(for: isFound ? name : nil, at: SearchKeys.index.path(filledWith: node.keys))
            + NameIndex.writes(for: name, of: uid, isFound: isFound)
    }
}
