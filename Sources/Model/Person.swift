package import Tree

/// An author of posts: the record at `people/{uid}`, with FriendlyPix's field names.
package struct Person: Sendable, Hashable {
    /// The person's id.
    package let uid: UserID
    /// The name that others see.
    package var fullName: String
    /// The address of a picture; nil for none.
    package var profilePicture: String?

    /// Creates a person; the name defaults to the id.
    package init(uid: UserID, fullName: String? = nil, profilePicture: String? = nil) {
        self.uid = uid
        self.fullName = fullName ?? uid.description
        self.profilePicture = profilePicture
    }

    /// The copy in the person's posts and comments, so that a page of a feed is one read.
    package var author: TreeValue {
        var fields: [TreeKey: TreeValue] = ["uid": .string(uid.description), "full_name": .string(fullName)]
        if let profilePicture { fields["profile_picture"] = .string(profilePicture) }
        return .object(fields)
    }

    /// Returns the names of those of the users who have one, by their ids.
    package static func names(
        of users: Set<String>, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [String: String] {
        var names: [String: String] = [:]
        for user in users {
            guard let id = UserID(user) else { continue }
            names[user] = try snapshot.get(PeopleNodes.person(id) / "full_name")?.stringValue
        }
        return names
    }

    /// Writes the record with its search index, and leaves the person's posts and follows unchanged.
    package func write(to update: inout MultiPathUpdate) {
        let path = PeopleNodes.person(uid)
        update[path / "full_name"] = .string(fullName)
        update[path / "profile_picture"] = profilePicture.map(TreeValue.string)
        update[path / "_search_index"] = .object([
            "full_name": .string(SearchKey.folded(fullName)),
            "reversed_full_name": .string(SearchKey.reversed(fullName)),
        ])
    }
}

extension TreeSnapshot {
    /// Returns the name and the picture at `people/{uid}`: two fields, and not the whole record, which contains all
    /// posts. Clients write there, too; a value that is not a string is returned as nil.
    package func nameAndPicture(of uid: UserID) throws(TreeError) -> (fullName: String?, profilePicture: String?) {
        let path = PeopleNodes.person(uid)
        return (try get(path / "full_name")?.stringValue, try get(path / "profile_picture")?.stringValue)
    }
}
