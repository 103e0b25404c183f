import API
import Access
import Model
import Social
import Store
import Tree
import Uploads

/// Restricts the photos of audience posts to members, the author and admins, whatever the storage rules allow.
enum AudienceMedia {
    /// The result of the check that precedes the storage rules.
    enum Reach {
        /// The file does not belong to an audience post.
        case everybody
        /// The file belongs to an audience post of the requester; an admin has all posts.
        case owner
        /// The file belongs to an audience post that the requester may see as a member of an audience.
        case members
        /// The file belongs to an audience post that the requester may not see.
        case others
    }

    /// Checks a request for a file. A file of a public post costs two reads of the tree.
    ///
    /// - Throws: The engine's failure.
    static func reach(of name: BlobName, by identity: Identity, in snapshot: TreeSnapshot) throws -> Reach {
        guard let owner = UserID(name.userID), let id = PostID(name.postID) else { return .everybody }
        let isRestricted = try snapshot.exists(AudienceNodes.restrictedMedia(id.key) / owner.key)
        // A file that is not in the tree may belong to an audience post that the tree has lost. Data that another
        // user has written at its id is ignored.
        let author = try snapshot.get(PostNodes.post(id) / "author" / "uid")
        if try !isRestricted && (author == .string(owner.description) || snapshot.exists(UploadNodes.upload(id))) {
            return .everybody
        }
        guard case .user(let user) = identity else { return identity == .admin ? .owner : .others }
        guard let uid = user.uid.flatMap({ UserID($0) }) else { return .others }
        if uid == owner { return .owner }
        guard isRestricted else { return .others }
        let post = try snapshot.get(AudienceNodes.post(id))
        // Another user cannot claim a post's id for an audience of their own.
        guard post?["author"]?["uid"]?.stringValue == owner.description else { return .others }
        return try snapshot.commonAudience(of: uid, and: post) == nil ? .others : .members
    }
}
