package import Model
package import Tree
package import TreeModel

/// The `thumb_url` that posts of clients should have, by a state of the tree.
package struct ClientThumb {
    let snapshot: TreeSnapshot
    /// The address by which apps reach the service; nil where nobody named one.
    let base: PublicBase?

    package init(snapshot: TreeSnapshot, base: PublicBase?) {
        self.snapshot = snapshot
        self.base = base
    }

    /// The thumbnail that a post is to name: a rendition of ours, or, where the storage rules do not let everybody fetch
    /// renditions, the app's own, whose address has a token. Nil where the post names what it should, or there is none.
    ///
    /// - Parameter record: The upload that the post shows.
    package func url(ofPost id: PostID, showing record: UploadRecord) throws(TreeError) -> String? {
        let post = PostNodes.post(id)
        // Where nobody said by which address the service is known, it is known by that which the client has used.
        let full = try snapshot.get(post / "full_url")?.stringValue.flatMap { ObjectAddress($0) }
        guard let base = base ?? full?.base else { return nil }
        let present = try snapshot.get(post / "thumb_url")?.stringValue
        let url =
            try areRenditionsPublic
            ? record.renditionForThumb.map { MediaAddress.url(record.owner, record.id, $0, at: base) }
            : ownURL(ofPost: id, insteadOf: present, of: record, at: base)
        return url == present ? nil : url
    }

    /// Whether everybody may fetch renditions, as by the default rules.
    private var areRenditionsPublic: Bool {
        get throws(TreeError) {
            guard let isPublic = try snapshot.get(ObjectNodes.rules() / "renditions_public")?.boolValue else {
                return try !snapshot.exists(ObjectNodes.rules())
            }
            return isPublic
        }
    }

    /// The address of the thumbnail that the app has stored, in place of one of our renditions.
    private func ownURL(
        ofPost id: PostID, insteadOf present: String?, of record: UploadRecord, at base: PublicBase
    ) throws(TreeError) -> String? {
        guard let ours = present.flatMap({ MediaAddress($0) }), ours.owner == record.owner, ours.id == record.id,
            let uri = try snapshot.get(PostNodes.post(id) / "thumb_storage_uri")?.stringValue,
            let name = ObjectAddress.name(inURI: uri), name.isThumb, name.owner == record.owner,
            let token = try StoredObject(name, in: snapshot)?.tokens.first
        else { return nil }
        return ObjectAddress.url(of: name, token: token, at: base)
    }
}

extension UploadRecord {
    /// The file that apps draw of a post in lists.
    fileprivate var renditionForThumb: String? {
        guard let renditions = photos[0]?.published?.renditions else { return nil }
        let bySize = renditions.values.sorted { $0.width * $0.height < $1.width * $1.height }
        return (renditions["thumb"] ?? bySize.first)?.fileName
    }
}
