import API
package import Access
import Blobs
import Rules
import Tree
import TreeModel

/// Who may fetch which file of a post: whom the storage rules allow it, and whoever has a signed address.
///
/// To the rules an original is `/{uid}/original/{post}/{file}`, a rendition `/{uid}/rendition/{post}/{file}`.
package struct MediaAccess: Sendable {
    /// The life of a signed address, in seconds; it is good for up to twice as long.
    static let lifetimeSeconds = 3600

    let rules: StorageRulesStore
    package let signer: MediaSigner

    package init(_ rules: StorageRulesStore, signer: MediaSigner) {
        self.rules = rules
        self.signer = signer
    }

    /// Whether somebody may fetch a file.
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
        let subject = RulesSubject(auth: auth, nowMilliseconds: WallClock.milliseconds())
        return rules.inForce.rules.judge(
            .get, of: object, in: bucket, by: subject, resource: resource, newResource: nil
        ).isAllowed
    }

    /// Whether an address is signed for a file.
    func isSigned(_ name: BlobName, token: String?) -> Bool {
        guard let token else { return false }
        return (try? signer.check(token, for: name.mediaPath)) != nil
    }

    /// A post with signed addresses of its renditions, for somebody who may read it, where not everybody may fetch them.
    func signed(_ post: TreeValue) -> TreeValue {
        guard !rules.inForce.areRenditionsPublic, var fields = post.object else { return post }
        for key in ["full_url", "thumb_url"] as [TreeKey] { fields[key] = fields[key].map(signedURL) }
        fields["photos"] = fields["photos"].map { photos in
            photos.mapMembers { photo in
                guard var photo = photo.object else { return photo }
                photo["renditions"] = photo["renditions"].map { renditions in
                    renditions.mapMembers { rendition in
                        guard var rendition = rendition.object else { return rendition }
                        rendition["url"] = rendition["url"].map(signedURL)
                        return .object(rendition)
                    }
                }
                return .object(photo)
            }
        }
        return .object(fields)
    }

    /// The address with a signature, if it is that of a file here.
    private func signedURL(_ url: TreeValue) -> TreeValue {
        guard let text = url.stringValue, text.hasPrefix("/media/"), let name = try? BlobName(String(text.dropFirst(7)))
        else { return url }
        return .string(address(of: name))
    }

    /// A signed address of a file, without scheme and host.
    func address(of name: BlobName) -> String {
        "\(name.mediaPath)?token=\(signer.token(for: name.mediaPath, lifetimeSeconds: Self.lifetimeSeconds))"
    }
}

extension BlobName {
    /// The path at which the file is served.
    var mediaPath: String { "/media/\(userID)/\(postID)/\(fileName)" }

    /// Whether the file is a photo as it was sent.
    var isOriginal: Bool { fileName.hasPrefix("original") }
}

extension TreeValue {
    /// The object with each member changed; a leaf stays.
    fileprivate func mapMembers(_ transform: (TreeValue) -> TreeValue) -> TreeValue {
        guard let object else { return self }
        return .object(object.mapValues(transform))
    }
}
