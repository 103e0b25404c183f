package import Model
package import Tree
package import TreeModel

/// The `thumb_url` that a client's post should have, in a state of the tree.
package struct ClientThumb {
    let snapshot: TreeSnapshot
    /// The address at which apps reach the service; nil if it is not configured.
    let base: PublicBase?

    package init(snapshot: TreeSnapshot, base: PublicBase?) {
        self.snapshot = snapshot
        self.base = base
    }

    /// Returns the thumbnail address that a post should have: that of a rendition, or, if the storage rules do not make
    /// renditions public, that of the app's own thumbnail with a token. Nil if the post has the right address, or there
    /// is none.
    ///
    /// - Parameter record: The upload that the post shows.
    package func url(ofPost id: PostID, showing record: UploadRecord) throws(TreeError) -> String? {
        let post = PostNodes.post(id)
        // If the address of the service is not configured, the client's own is used.
        let full = try snapshot.get(post / "full_url")?.stringValue.flatMap { ObjectAddress($0) }
        guard let base = base ?? full?.base else { return nil }
        let present = try snapshot.get(post / "thumb_url")?.stringValue
        let url =
            try areRenditionsPublic
            ? record.renditionForThumb.map { MediaAddress.url(record.owner, record.id, $0, at: base) }
            : ownURL(ofPost: id, insteadOf: present, of: record, at: base)
        return url == present ? nil : url
    }

    /// Whether everybody may fetch renditions, as the default rules allow.
    private var areRenditionsPublic: Bool {
        get throws(TreeError) {
            guard let isPublic = try snapshot.get(ObjectNodes.rules() / "renditions_public")?.boolValue else {
                return try !snapshot.exists(ObjectNodes.rules())
            }
            return isPublic
        }
    }

    /// Returns the address of the thumbnail that the app has stored, if the post currently names a rendition of this
    /// service.
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
    /// The file that apps show for a post in lists.
    fileprivate var renditionForThumb: String? {
        guard let renditions = photos[0]?.published?.renditions else { return nil }
        let bySize = renditions.values.sorted { $0.width * $0.height < $1.width * $1.height }
        return (renditions["thumb"] ?? bySize.first)?.fileName
    }
}
