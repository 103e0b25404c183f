import API
package import Model
package import Tree

/// The pictures of people, of which the files are uploads of the purpose `avatar`.
///
/// `people/{uid}/profile_picture` names the picture, whoever writes it, and nothing else does: an upload that it names is in
/// use, and one that it named before is gone, with its files after the grace period as those of a deleted post.
package enum Avatars {
    /// The upload that is somebody's picture; nil where the picture is none of these, or there is none.
    package static func id(of uid: UserID, in snapshot: TreeSnapshot) throws(TreeError) -> PostID? {
        try id(of: uid, named: try snapshot.get(PeopleNodes.person(uid) / "profile_picture"), in: snapshot)
    }

    /// The avatar of a person that an address names, whoever wrote that; nil for what is none.
    fileprivate static func id(
        of uid: UserID, named picture: TreeValue?, in snapshot: TreeSnapshot
    ) throws(TreeError) -> PostID? {
        guard let address = picture?.stringValue.flatMap({ MediaAddress($0) }), address.owner == uid,
            try owner(address.id, in: snapshot) == uid
        else { return nil }
        return address.id
    }

    /// The person whose avatar an upload is, or was; nil for other uploads.
    fileprivate static func owner(_ id: PostID, in snapshot: TreeSnapshot) throws(TreeError) -> UserID? {
        guard try snapshot.get(UploadNodes.upload(id) / "purpose")?.stringValue == UploadPurpose.avatar.rawValue else {
            return nil
        }
        return try snapshot.get(UploadNodes.upload(id) / "owner")?.stringValue.flatMap { UserID($0) }
    }
}

extension TreeSnapshot {
    /// Whether what an upload has become is there: a post, an object, or somebody's picture.
    package func isShown(_ id: PostID) throws(TreeError) -> Bool {
        if try hasPost(id) { return true }
        return try isShownWithoutPost(id)
    }

    /// Whether what an upload has become is there, other than as the post of its id: as an object, or somebody's picture.
    func isShownWithoutPost(_ id: PostID) throws(TreeError) -> Bool {
        if try hasObject(withFile: id.key) { return true }
        if try exists(ObjectNodes.post(id)) { return true }
        guard let owner = try Avatars.owner(id, in: self) else { return false }
        return try Avatars.id(of: owner, in: self) == id
    }
}

/// Records that somebody's avatar was replaced or removed, whoever did that, as deleted posts are recorded.
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
        Failure(.notFound, "there is no person \(uid)", hint: "PUT /v1/people/{uid} makes one, then send the picture")
    }
}
