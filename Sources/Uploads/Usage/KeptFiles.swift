import API
package import Model
package import Tree

/// The files of uploads that are to stay.
package enum KeptFiles {
    /// Whether the files of an upload are to stay: what it has become is there, and was not refused.
    ///
    /// The id proves nothing: once a post is deleted, anybody may write there. The post has to be that of the files' owner, and to
    /// name them.
    package static func areKept(of id: PostID, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        let record = try snapshot.upload(id)
        guard record?.moderation?.decision != .refuse else { return false }
        for path in [AudienceNodes.post(id), PostNodes.post(id)] {
            if let post = try snapshot.get(path), isPost(post, ofFilesOf: id, record) { return true }
        }
        return try snapshot.isShownWithoutPost(id)
    }

    /// Whether a post is that of an upload, and shows its files, if there are any.
    ///
    /// - Parameter record: The upload; nil where nothing is known of it, as with posts of earlier versions. Whoever is the author
    ///   counts as its owner then.
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
