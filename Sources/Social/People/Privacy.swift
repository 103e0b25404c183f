package import API
package import Model
package import Tree

/// The consent of people: at `privacy/{uid}`, three switches. A missing switch is on.
package struct Privacy: Sendable {
    package enum Switch: String, CaseIterable, Sendable {
        /// Consent to storing a person's activity: posts, comments, likes, follows.
        case dataProcessing = "data_processing"
        /// Consent to publishing a person's texts and photos.
        case content
        /// Consent to being found: by name, and in the list of all people.
        case social

        var key: TreeKey { TreeKey(unchecked: rawValue) }
    }

    private let tree: TreeStore

    package init(_ tree: TreeStore) { self.tree = tree }

    /// Returns the switches of a person; nil if the person does not exist and has set no switch.
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

    /// Changes some of the switches; derived data change in the same commit.
    package func change(_ uid: UserID, _ changes: [Switch: Bool]) async throws {
        guard !changes.isEmpty else { return }
        try await tree.transact { snapshot, update in
            for (one, isOn) in changes { update[PeopleNodes.privacy(uid) / one.key] = .bool(isOn) }
        }
    }
}

extension TreeSnapshot {
    /// Whether a switch of a person is on or missing.
    func isOn(_ one: Privacy.Switch, of uid: UserID) throws(TreeError) -> Bool {
        try get(PeopleNodes.privacy(uid) / one.key) != false
    }

    /// Checks that a person has consented to an action.
    ///
    /// - Parameter isContent: Whether the action publishes texts or photos of the person.
    /// - Throws: `Failure` with the code `not_consented`.
    package func requireConsent(of uid: UserID, toContent isContent: Bool) throws {
        for one in isContent ? [Privacy.Switch.dataProcessing, .content] : [.dataProcessing] {
            guard try isOn(one, of: uid) else {
                throw Failure(
                    .notConsented, "\(uid) has not agreed to this: \(one.rawValue) is off",
                    hint: "Change that with PATCH /v1/people/{uid}/privacy.")
            }
        }
    }
}

/// Removes and adds the index entries of ``SearchKeys`` and ``NameIndex`` when a person changes the switch for being
/// found by name.
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
