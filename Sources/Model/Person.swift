package import Tree

/// Somebody who posts: the record at `people/{uid}`, FriendlyPix's field names.
package struct Person: Sendable, Hashable {
    /// Whose record it is.
    package let uid: UserID
    /// The name that others see.
    package var fullName: String
    /// The address of a picture; nil when there is none.
    package var profilePicture: String?

    /// Describes a person; an unknown user's name is the id until somebody gives a better one.
    package init(uid: UserID, fullName: String? = nil, profilePicture: String? = nil) {
        self.uid = uid
        self.fullName = fullName ?? uid.description
        self.profilePicture = profilePicture
    }

    /// The copy that stands in the person's posts and comments, so that a page of a feed is one read.
    package var author: TreeValue {
        var fields: [TreeKey: TreeValue] = ["uid": .string(uid.description), "full_name": .string(fullName)]
        if let profilePicture { fields["profile_picture"] = .string(profilePicture) }
        return .object(fields)
    }

    /// Writes the record with its search index, and nothing of the person's posts or follows.
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
    /// The name and the picture that `people/{uid}` has: two fields, and not the whole record, of which all posts are a
    /// part. Clients write there, too; what is no text is nil.
    package func nameAndPicture(of uid: UserID) throws(TreeError) -> (fullName: String?, profilePicture: String?) {
        let path = PeopleNodes.person(uid)
        return (try get(path / "full_name")?.stringValue, try get(path / "profile_picture")?.stringValue)
    }
}
