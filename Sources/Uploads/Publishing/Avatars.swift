import API
package import Model
package import Tree

/// The pictures of people, whose files are uploads with the purpose `avatar`.
///
/// The picture is the one that `people/{uid}/profile_picture` names, written by any user. An upload that it names is in
/// use. An upload that it no longer names is deleted, with its files after the grace period, like those of a deleted
/// post.
package enum Avatars {
    /// Returns the upload that is a user's picture; nil if the user has none or its picture is not an upload.
    package static func id(of uid: UserID, in snapshot: TreeSnapshot) throws(TreeError) -> PostID? {
        try id(of: uid, named: try snapshot.get(PeopleNodes.person(uid) / "profile_picture"), in: snapshot)
    }

    /// Returns the upload of a user's avatar with an address, which any user may have written; nil if the address is
    /// not that of an avatar.
    fileprivate static func id(
        of uid: UserID, named picture: TreeValue?, in snapshot: TreeSnapshot
    ) throws(TreeError) -> PostID? {
        guard let address = picture?.stringValue.flatMap({ MediaAddress($0) }), address.owner == uid,
            try owner(address.id, in: snapshot) == uid
        else { return nil }
        return address.id
    }

    /// Returns the user whose avatar an upload is or was; nil for other uploads.
    fileprivate static func owner(_ id: PostID, in snapshot: TreeSnapshot) throws(TreeError) -> UserID? {
        guard try snapshot.get(UploadNodes.upload(id) / "purpose")?.stringValue == UploadPurpose.avatar.rawValue else {
            return nil
        }
        return try snapshot.get(UploadNodes.upload(id) / "owner")?.stringValue.flatMap { UserID($0) }
    }
}

extension TreeSnapshot {
    /// Whether the result of an upload exists: a post, an object, or an avatar.
    package func isShown(_ id: PostID) throws(TreeError) -> Bool {
        if try hasPost(id) { return true }
        return try isShownWithoutPost(id)
    }

    /// Whether the result of an upload exists other than as the post with its id: as an object or an avatar.
    func isShownWithoutPost(_ id: PostID) throws(TreeError) -> Bool {
        if try hasObject(withFile: id.key) { return true }
        if try exists(ObjectNodes.post(id)) { return true }
        guard let owner = try Avatars.owner(id, in: self) else { return false }
        return try Avatars.id(of: owner, in: self) == id
    }
}

/// Records that an avatar was replaced or removed, by any user, like deleted posts are recorded.
package struct ReplacedAvatars: Derivation {

    package init() {
    }
    package let place = TreePattern(PeopleNodes.person.path / "profile_picture")

    package func writes(
        for picture: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard picture.before != picture.after, case .leaf(let address) = picture.before,
            let uid = UserID(picture.keys[0].string), let old = try Avatars.id(of: uid, named: address, in: snapshot),
            try Avatars.id(of: uid, in: snapshot) != old
        else { return [] }
        return [TreeWrite(path: FileNodes.deleted(old), value: commit.timestamp.value)]
    }
}

extension Failure {
    static func noPersonForAvatar(_ uid: UserID) -> Failure {
        Failure(.notFound, "there is no person \(uid)", hint: "Create the person with PUT /v1/people/{uid} first.")
    }
}
