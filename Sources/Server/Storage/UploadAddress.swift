import Access
import Cryptography
import HTTPTypes
import Hummingbird
import Model
import Requests
import Transport
import TreeModel
import Uploads

/// The address at which an upload goes on that comes in several requests. Who has it may go on with it: some clients send no
/// token with the bytes.
struct UploadAddress: Sendable {
    let id: PostID
    let secret: String

    init(_ id: PostID, secret: String) {
        self.id = id
        self.secret = secret
    }

    /// Reads the field of a query; nil for what is none.
    init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2, let id = PostID(parts[0]) else { return nil }
        self.init(id, secret: parts[1])
    }

    /// The name of the field.
    static let field = "upload_id"

    /// The absolute address: at the host by which the client called the service, as that is the one it reaches.
    func url(of name: ObjectName, in bucket: String, for request: HTTPRequest, publicURL: PublicURL?) -> String {
        let authority = request.authority ?? "localhost"
        let scheme = ClientConnection.current?.isEncrypted == true ? "https" : "http"
        let isPublic = publicURL.map { HostName.split(authority).host.lowercased() == $0.host } ?? false
        let origin = isPublic ? publicURL?.origin ?? "" : "\(scheme)://\(authority)"
        let (bucket, name) = (PercentEncoding.encode(bucket.utf8), PercentEncoding.encode(name.description.utf8))
        return "\(origin)/v0/b/\(bucket)/o?name=\(name)&\(Self.field)=\(id).\(secret)&upload_protocol=resumable"
    }

    /// Whether the secret is that of an object's upload.
    func isOf(_ object: ResumableObject) -> Bool { Digest.areEqual(Array(secret.utf8), Array(object.secret.utf8)) }
}
