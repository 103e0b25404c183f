import API
package import Model
import Store
package import Tree

/// Converts the posts of Firebase's clients: they upload a photo as an object, `USER/full/…/NAME`, and then write a
/// post that names it. The post's `photos` become the renditions of that object.
///
/// The photo has an upload of its own, with the id of the object's file, from the creation of the object, and is
/// rendered at once. Every post that names the object is linked with it, however it is written:
///
///     object_posts/{post}              = the upload's id
///     posts_of_objects/{upload}/{post} = true
///
/// If the photo is already rendered, the post gets it in the commit that names it; otherwise in the commit that ends
/// the upload, whose record is in the queue. The addresses of renditions contain the upload and its owner, like those
/// of other posts. Code for the files of posts therefore only has to find the upload of a post
/// (``upload(behindPost:in:)``).
package struct ObjectPosts: Derivation {
    package let place = PostNodes.post.pattern
    /// The address at which apps reach the service; nil if it is not configured.
    let publicBase: PublicBase?

    package init(publicBase: PublicBase?) {
        self.publicBase = publicBase
    }

    package func writes(
        for post: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard let id = PostID(post.keys[0].string) else { return [] }
        let old = try ObjectLinks.upload(ofPost: id, in: snapshot)
        guard post.after.isThere else {
            guard let old else { return [] }
            return try Self.unlink(id, from: old, at: commit, in: snapshot)
        }
        let record = try Self.photo(namedBy: id, linkedWith: old, in: snapshot)
        var writes: [TreeWrite] = []
        if let old, record?.id != old {
            writes += try Self.unlink(id, from: old, at: commit, in: snapshot)
            writes.append(TreeWrite(path: PostNodes.post(id) / "photos", value: nil))
        }
        guard let record else { return writes }
        let isNew = record.id != old
        if isNew {
            writes += [
                TreeWrite(path: ObjectNodes.link() / id.key, value: .string(record.id.description)),
                TreeWrite(path: ObjectNodes.post(record.id) / id.key, value: true),
            ]
        }
        if try !snapshot.exists(PostNodes.post(id) / "published") {
            let position = Int64(clamping: commit.token.sequence)
            writes.append(TreeWrite(path: PostNodes.post(id) / "published", value: .integer(position)))
        }
        // The post's photos may be newer than those of the record.
        let hasPhotos = try snapshot.exists(PostNodes.post(id) / "photos")
        if isNew || !hasPhotos {
            for (path, value) in try Self.fields(ofPost: id, with: record, at: publicBase, in: snapshot) {
                writes.append(TreeWrite(path: path, value: value))
            }
        }
        return writes
    }

    /// Returns the writes that unlink a post from an upload. Files without any other reference are swept later.
    private static func unlink(
        _ id: PostID, from upload: PostID, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        var writes = [
            TreeWrite(path: ObjectNodes.link() / id.key, value: nil),
            TreeWrite(path: ObjectNodes.post(upload) / id.key, value: nil),
        ]
        let others = try snapshot.keys(of: ObjectNodes.post(upload), limit: 2).filter { $0 != id.key }
        let hasObject = try snapshot.hasObject(withFile: upload.key)
        if others.isEmpty, !hasObject {
            writes.append(TreeWrite(path: FileNodes.deleted(upload), value: commit.timestamp.value))
        }
        return writes
    }
}

extension ObjectPosts {
    /// Returns the upload behind a post: its own, or that of the object that a client's post names; nil for neither.
    package static func upload(behindPost id: PostID, in snapshot: TreeSnapshot) throws(TreeError) -> UploadRecord? {
        if let record = try snapshot.upload(id) { return record }
        guard let linked = try ObjectLinks.upload(ofPost: id, in: snapshot) else { return nil }
        return try snapshot.upload(linked)
    }

    /// Returns the upload of the author's object that a post names; nil if it names none, or is not a client's post.
    ///
    /// - Parameter linked: The upload that the post is linked with, which stays if only the object has been deleted.
    private static func photo(
        namedBy id: PostID, linkedWith linked: PostID?, in snapshot: TreeSnapshot
    ) throws(TreeError) -> UploadRecord? {
        if try snapshot.exists(UploadNodes.upload(id)) { return nil }
        let post = PostNodes.post(id)
        guard let author = try snapshot.get(post / "author" / "uid")?.stringValue.flatMap({ UserID($0) }) else {
            return nil
        }
        let names = [
            try snapshot.get(post / "full_storage_uri")?.stringValue.flatMap { ObjectAddress.name(inURI: $0) },
            try snapshot.get(post / "full_url")?.stringValue.flatMap { ObjectAddress($0)?.name },
        ]
        for case let name? in names where name.isPhoto && name.owner == author {
            if let object = try StoredObject(name, in: snapshot), let upload = PostID(object.blob.postID),
                let record = try snapshot.upload(upload), record.purpose == .object
            {
                return record
            }
            if let linked, ObjectFile(try snapshot.get(ObjectNodes.file() / linked.key))?.name == name {
                return try snapshot.upload(linked)
            }
        }
        return nil
    }

    /// Returns the fields of a client's post that depend on its photo, by their paths; empty while it is not rendered.
    ///
    /// If renditions are public, `thumb_url` becomes the address of a rendition, after which apps redraw the post. The
    /// other fields of the photo stay as clients wrote them, because clients use them to delete it.
    package static func fields(
        ofPost id: PostID, with record: UploadRecord, at base: PublicBase?, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreePath: TreeValue] {
        guard record.state == .published, let photo = record.photos[0]?.published else { return [:] }
        let post = PostNodes.post(id)
        let text = try snapshot.get(post / "text")?.stringValue ?? ""
        var fields: [TreePath: TreeValue] = [
            post / "photos": ["0": try photo.value(owner: record.owner, post: record.id, at: base)],
            post / "kind": .string(text.isEmpty ? "photo" : "photo_text"),
        ]
        let thumb = ClientThumb(snapshot: snapshot, base: base)
        if let url = try thumb.url(ofPost: id, showing: record) { fields[post / "thumb_url"] = .string(url) }
        return fields
    }
}

extension ObjectName {
    /// Whether clients store the photos of posts under this name: `USER/full/FOLDER/NAME`.
    var isPhoto: Bool { isOfPost(in: "full") }

    /// Whether clients store the thumbnails of posts under this name: `USER/thumb/FOLDER/NAME`.
    var isThumb: Bool { isOfPost(in: "thumb") }

    private func isOfPost(in folder: String) -> Bool {
        let parts = description.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count == 4 && parts[1].elementsEqual(folder.utf8) && owner != nil
            && parts[2...].allSatisfy { !$0.isEmpty }
    }
}
