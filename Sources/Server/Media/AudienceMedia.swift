import API
import Access
import Model
import Social
import Store
import Tree
import Uploads

/// Tells whose the photos of posts for audiences are: their members', their author's and admins', whatever the storage
/// rules allow, and nobody's else.
enum AudienceMedia {
    /// What lets somebody fetch a file, before the storage rules are asked.
    enum Reach {
        /// It is of no post for audiences.
        case everybody
        /// It is of one, and for whoever asks.
        case members
        /// It is of one, and not for whoever asks.
        case others
    }

    /// Judges one request for a file. A file of a post for everybody costs two looks into the tree.
    ///
    /// - Throws: The engine's failure.
    static func reach(of name: BlobName, by identity: Identity, in snapshot: TreeSnapshot) throws -> Reach {
        guard let owner = UserID(name.userID), let id = PostID(name.postID) else { return .everybody }
        let isRestricted = try snapshot.exists(AudienceNodes.restrictedMedia(id.key) / owner.key)
        // A file of which the tree knows nothing may be of a post for an audience that the tree has lost. What somebody else has
        // put at its id says nothing of it.
        let author = try snapshot.get(PostNodes.post(id) / "author" / "uid")
        if try !isRestricted && (author == .string(owner.description) || snapshot.exists(UploadNodes.upload(id))) {
            return .everybody
        }
        guard case .user(let user) = identity else { return identity == .admin ? .members : .others }
        guard let uid = user.uid.flatMap({ UserID($0) }) else { return .others }
        if uid == owner { return .members }
        guard isRestricted else { return .others }
        let post = try snapshot.get(AudienceNodes.post(id))
        // Nobody else can lend a post's id to an audience of theirs.
        guard post?["author"]?["uid"]?.stringValue == owner.description else { return .others }
        return try snapshot.commonAudience(of: uid, and: post) == nil ? .others : .members
    }
}
