import API
package import Model
package import Tree

/// The decision whether an upload's files must be kept.
package enum KeptFiles {
    /// Whether the files of an upload must be kept: its post, object or avatar exists and was not refused.
    ///
    /// The id alone proves nothing: once a post is deleted, any user may write a post with its id. The post must
    /// therefore belong to the owner of the files and name them.
    package static func areKept(of id: PostID, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        let record = try snapshot.upload(id)
        guard record?.moderation?.decision != .refuse else { return false }
        for path in [AudienceNodes.post(id), PostNodes.post(id)] {
            if let post = try snapshot.get(path), isPost(post, ofFilesOf: id, record) { return true }
        }
        return try snapshot.isShownWithoutPost(id)
    }

    /// Whether a post belongs to an upload, and shows its files if it has any.
    ///
    /// - Parameter record: The upload; nil if it has no record, as with posts of earlier versions. The author then
    ///   counts as its owner.
    private static func isPost(_ post: TreeValue, ofFilesOf id: PostID, _ record: UploadRecord?) -> Bool {
        guard let author = post["author"]?["uid"]?.stringValue.flatMap({ UserID($0) }) else { return false }
        if let record {
            guard record.owner == author else { return false }
            if record.photos.isEmpty { return true }
        }
        var addresses = [post["full_url"], post["thumb_url"]]
        for photo in (post["photos"]?.object ?? [:]).values {
            for rendition in (photo["renditions"]?.object ?? [:]).values { addresses.append(rendition["url"]) }
        }
        return addresses.contains { address in
            guard let address = address?.stringValue.flatMap({ MediaAddress($0) }) else { return false }
            return address.owner == author && address.id == id
        }
    }
}
