import API
package import Model
package import Store
package import Tree
import Uploads

/// A restriction that moderation puts on a file, in addition to the rules of photos and the audiences of the post.
package enum ModerationRestriction: Sendable {
    /// No further restriction.
    case none
    /// Only the owner and admins may fetch the file, and those who have a signed address from one of them.
    case unlessSigned
    /// Only the owner and admins may fetch the file.
    case always
}

/// The restrictions that moderation puts on files.
package struct ModerationRestrictions: Sendable {
    /// Whether posts are reviewed before they are published.
    package let isModerated: Bool

    package init(isModerated: Bool) {
        self.isModerated = isModerated
    }

    /// Whether an upload is shown by a post: its own, or one that names its object.
    package func isInPost(_ id: PostID, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        if try snapshot.hasPost(id) { return true }
        return try snapshot.exists(ObjectNodes.post(id))
    }

    /// Returns the restriction of a file.
    ///
    /// Only the owner and admins see the files of an upload that is not a post yet, or never became one. They can give
    /// others signed addresses of these, unless posts are moderated or the post was refused. Of a post that is shown
    /// blurred, only they see the originals, and the clear renditions until these are deleted.
    ///
    /// A file of a post without a decision costs two reads of the tree.
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
        // An object exists before a post shows its photo.
        guard record.state.isPost || record.purpose == .object else { return .unlessSigned }
        guard record.photos.values.contains(where: \.isBlurred) else { return .none }
        if isOriginal { return .unlessSigned }
        guard let photos = try snapshot.shownPhotos(of: record) else { return .none }
        let isShown = photos.contains { $0.renditions.values.contains { $0.fileName == name.fileName } }
        return isShown ? .none : .always
    }
}

extension TreeSnapshot {
    /// The photos of an upload as its post shows them; nil if the post does not exist or its photos cannot be read.
    fileprivate func shownPhotos(of record: UploadRecord) throws(TreeError) -> [PhotoRecord]? {
        guard record.purpose != .object else { return record.photos.values.compactMap(\.rendered) }
        return try self.record(ofPost: record.id).flatMap { PostPhotos.read($0) }
    }
}
