import Access
import Cryptography
import HTTPTypes
import Hummingbird
import Model
import Requests
import Transport
import TreeModel
import Uploads

/// The address at which an upload in several requests is continued. Possession of it is enough to continue: some
/// clients send no token with the bytes.
struct UploadAddress: Sendable {
    let id: PostID
    let secret: String

    init(_ id: PostID, secret: String) {
        self.id = id
        self.secret = secret
    }

    /// Parses the field of a query; nil if it is malformed.
    init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2, let id = PostID(parts[0]) else { return nil }
        self.init(id, secret: parts[1])
    }

    /// The name of the field.
    static let field = "upload_id"

    /// Returns the absolute address, at the host in the client's request, because the client can reach that one.
    func url(of name: ObjectName, in bucket: String, for request: HTTPRequest, publicURL: PublicURL?) -> String {
        let authority = request.authority ?? "localhost"
        let scheme = ClientConnection.current?.isEncrypted == true ? "https" : "http"
        let isPublic = publicURL.map { HostName.split(authority).host.lowercased() == $0.host } ?? false
        let origin = isPublic ? publicURL?.origin ?? "" : "\(scheme)://\(authority)"
        let (bucket, name) = (PercentEncoding.encode(bucket.utf8), PercentEncoding.encode(name.description.utf8))
        return "\(origin)/v0/b/\(bucket)/o?name=\(name)&\(Self.field)=\(id).\(secret)&upload_protocol=resumable"
    }

    /// Whether the secret belongs to an object's upload.
    func isOf(_ object: ResumableObject) -> Bool { Digest.areEqual(Array(secret.utf8), Array(object.secret.utf8)) }
}
