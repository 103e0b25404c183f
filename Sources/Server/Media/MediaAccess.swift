import API
package import Access
package import Model
import Rules
import Store
import Tree
import TreeModel
import Uploads

/// Decides about access to the files of posts: by the storage rules, or by a signed address.
///
/// In the rules an original is `/{uid}/original/{post}/{file}`, a rendition `/{uid}/rendition/{post}/{file}`.
///
/// An original is served without its location, to every requester. With `location=keep` it is served as it was sent:
/// that is another address, for its owner, for admins, and for those to whom one of these has given a signed address.
package struct MediaAccess: Sendable {
    /// The lifetime of a signed address, in seconds; it is valid for up to twice as long.
    static let lifetimeSeconds = 3600

    package let rules: StorageRulesStore
    package let signer: MediaSigner
    /// The address by which apps reach the service; nil for addresses without a host.
    private let base: PublicBase?

    package init(_ rules: StorageRulesStore, signer: MediaSigner, at base: PublicBase?) {
        self.rules = rules
        self.signer = signer
        self.base = base
    }

    /// Whether an identity may fetch a file.
    func mayRead(_ name: BlobName, byteCount: Int, contentType: String, by identity: Identity) -> Bool {
        let auth: JSONValue?
        switch identity {
        case .admin: return true
        case .anonymous: auth = nil
        case .user(let user): auth = user.auth
        }
        let kind = name.isOriginal ? "original" : "rendition"
        let object = "\(name.userID)/\(kind)/\(name.postID)/\(name.fileName)"
        let bucket = rules.bucket
        let resource = StorageResource(
            name: object, bucket: bucket, size: Int64(byteCount), contentType: contentType)
        let subject = RulesSubject(auth: auth, now: WallClock.now())
        return rules.inForce.rules.judge(
            .get, of: object, in: bucket, by: subject, resource: resource, newResource: nil
        ).isAllowed
    }

    /// Whether a file belongs to the identity; an admin owns all files. Owners may have the location in an original,
    /// and the original of a photo that is shown blurred.
    func isOwn(_ name: BlobName, _ identity: Identity) -> Bool {
        switch identity {
        case .admin: true
        case .anonymous: false
        case .user(let user): user.uid == name.userID
        }
    }

    /// Whether an address has a valid signature for a file.
    func isSigned(_ name: BlobName, _ location: MediaLocation, token: String?) -> Bool {
        guard let token else { return false }
        return (try? signer.check(token, for: name.mediaPath + location.query)) != nil
    }

    /// Returns a post with signed addresses of its renditions, for a reader of the post, if the renditions are not
    /// public. The addresses lead to the current host of the service, wherever the post names its files: no other host
    /// receives signatures. Other addresses that a client has written into the post stay unchanged, because the client
    /// may have no right to grant access to them.
    ///
    /// - Parameter isRestricted: Whether the post is for audiences.
    func signed(_ post: TreeValue, id: TreeKey, isRestricted: Bool = false) -> TreeValue {
        guard isRestricted || !rules.inForce.areRenditionsPublic, var fields = post.object else { return post }
        let owner = post["author"]?["uid"]?.stringValue
        func signed(_ url: TreeValue) -> TreeValue {
            guard let file = url.stringValue.flatMap({ MediaAddress($0) }), file.owner.description == owner,
                file.id.key == id, let name = file.blobName, !name.isOriginal
            else { return url }
            let address = MediaAddress.url(file.owner, file.id, file.fileName, at: base)
            return .string(opened(address, by: name.mediaPath))
        }
        for key in ["full_url", "thumb_url"] as [TreeKey] { fields[key] = fields[key].map(signed) }
        fields["photos"] = fields["photos"].map { photos in
            photos.mapMembers { photo in
                guard var photo = photo.object else { return photo }
                photo["renditions"] = photo["renditions"].map { renditions in
                    renditions.mapMembers { rendition in
                        guard var rendition = rendition.object else { return rendition }
                        rendition["url"] = rendition["url"].map(signed)
                        return .object(rendition)
                    }
                }
                return .object(photo)
            }
        }
        return .object(fields)
    }

    /// Returns the signed address of a rendition of an unpublished upload, for its sender.
    func address(ofRendition fileName: String, of record: UploadRecord) -> String {
        let address = MediaAddress.url(record.owner, record.id, fileName, at: base)
        let name = try? BlobName(userID: record.owner.description, postID: record.id.description, fileName: fileName)
        return name.map { opened(address, by: $0.mediaPath) } ?? address
    }

    /// Returns a signed address of a file, without scheme and host.
    func address(of name: BlobName, _ location: MediaLocation) -> String {
        // File names have no question mark, so a signature for one form of a file is invalid for the other.
        let path = name.mediaPath + location.query
        return opened(path, by: path)
    }

    /// Returns an address with a token that is signed for a path.
    private func opened(_ address: String, by path: String) -> String {
        let token = signer.token(for: path, lifetimeSeconds: Self.lifetimeSeconds)
        return address + (address.contains("?") ? "&" : "?") + "token=\(token)"
    }
}

/// The treatment of the location in a served original.
enum MediaLocation: String, CaseIterable {
    case remove, keep

    /// The part of an address that requests this treatment; empty for the default, which removes the location.
    var query: String { self == .keep ? "?location=keep" : "" }

    /// Parses the field of a query.
    ///
    /// - Throws: `Failure` `bad_request` for other words, because a typing error would remove the location, or reveal
    ///   it.
    init(_ text: (some StringProtocol)?) throws(Failure) {
        guard let text else {
            self = .remove
            return
        }
        guard let location = MediaLocation(rawValue: String(text)) else {
            throw Failure(.badRequest, "location is neither remove nor keep")
        }
        self = location
    }
}

extension MediaAddress {
    /// The file; nil if the name is invalid.
    fileprivate var blobName: BlobName? {
        try? BlobName(userID: owner.description, postID: id.description, fileName: fileName)
    }
}

extension BlobName {
    /// The path at which the file is served.
    var mediaPath: String { "/media/\(userID)/\(postID)/\(fileName)" }

    /// Whether the file is a photo as its sender sent it.
    var isOriginal: Bool { fileName.hasPrefix("original") }
}

extension TreeValue {
    /// Returns the object with each member transformed; a leaf stays unchanged.
    fileprivate func mapMembers(_ transform: (TreeValue) -> TreeValue) -> TreeValue {
        guard let object else { return self }
        return .object(object.mapValues(transform))
    }
}
