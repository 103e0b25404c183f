import API
package import Model
package import Store
package import Tree
import Uploads

/// A restriction that moderation puts on a file, besides the rules of photos and the audiences of the post.
package enum ModerationRestriction: Sendable {
    /// Nothing more than these.
    case none
    /// Only the owner and admins get the file, and those to whom one of these has given a signed address.
    case unlessSigned
    /// Only the owner and admins get the file.
    case always
}

/// The restrictions that moderation puts on files.
package struct ModerationRestrictions: Sendable {
    /// Whether somebody decides about posts before they are published.
    package let isModerated: Bool

    package init(isModerated: Bool) {
        self.isModerated = isModerated
    }

    /// Whether a post shows what an upload has become: its own, or one that names the object.
    package func isInPost(_ id: PostID, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        if try snapshot.hasPost(id) { return true }
        return try snapshot.exists(ObjectNodes.post(id))
    }

    /// Returns the restriction of a file.
    ///
    /// Only the owner and admins see what belongs to an upload that is no post yet, or never became one. They can give others a way
    /// to it, but not where posts are moderated, nor to a post that was refused. Of a post that is shown blurred, they alone see
    /// the originals, and the clear renditions until these are deleted.
    ///
    /// A file of a post about which nobody decided costs two looks into the tree.
    ///
    /// - Throws: The engine's failure.
    package func restriction(
        of name: BlobName, isOriginal: Bool, in snapshot: TreeSnapshot
    ) throws(TreeError) -> ModerationRestriction {
        guard let id = PostID(name.postID) else { return .none }
        let isDecided = try snapshot.exists(UploadNodes.upload(id) / "moderation")
        var isForAll = !isModerated && !isDecided
        if isForAll { isForAll = try isInPost(id, in: snapshot) }
        guard !isForAll, let record = try snapshot.upload(id) else { return .none }
        if record.moderation?.decision == .refuse || isModerated && !record.state.isPost { return .always }
        // An object is there before its photo is a post's.
        guard record.state.isPost || record.purpose == .object else { return .unlessSigned }
        guard record.photos.values.contains(where: \.isBlurred) else { return .none }
        if isOriginal { return .unlessSigned }
        guard let photos = try snapshot.shownPhotos(of: record) else { return .none }
        let isShown = photos.contains { $0.renditions.values.contains { $0.fileName == name.fileName } }
        return isShown ? .none : .always
    }
}

extension TreeSnapshot {
    /// The photos as they are shown that an upload has become; nil where there is no such post, or they cannot be read.
    fileprivate func shownPhotos(of record: UploadRecord) throws(TreeError) -> [PhotoRecord]? {
        guard record.purpose != .object else { return record.photos.values.compactMap(\.rendered) }
        return try self.record(ofPost: record.id).flatMap { PostPhotos.read($0) }
    }
}
