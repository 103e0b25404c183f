import API
package import Blobs
package import Posts
package import Tree

/// The people that a file is left to, whatever the rules of photos and the audiences of the post say.
package enum Withholding: Sendable {
    /// Whomever these say.
    case none
    /// Its owner and admins, and to whom one of these has given a signed address.
    case unlessSigned
    /// Its owner and admins alone.
    case always
}

extension UploadService {
    /// Whether a post shows what an upload has become: its own, or one that names the object.
    package func isInPost(_ id: PostID, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        if try snapshot.hasPost(id) { return true }
        return try snapshot.exists(Paths.postsOfObject(id))
    }

    /// Whether somebody decides about posts before they are published.
    package var isModerated: Bool { publisher.moderator != nil }

    /// Tells whom a file is left to. Nobody else sees what belongs to an upload that is no post yet, or never became one; without
    /// a way for others where posts are moderated, or the post was refused; of one that is shown blurred the originals, and
    /// the clear renditions, until they are deleted.
    ///
    /// A file of a post about which nobody decided costs two looks into the tree.
    ///
    /// - Throws: The engine's failure.
    package func withholding(
        of name: BlobName, isOriginal: Bool, in snapshot: TreeSnapshot
    ) throws(TreeError) -> Withholding {
        guard let id = PostID(name.postID) else { return .none }
        let isDecided = try snapshot.exists(Paths.upload(id) / "moderation")
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
