/// Where apps reach the files of posts, from wherever they are: the address by which the service is known, and the name that
/// its bucket has there. There every file of a post is an object, `USER/rendition/POST/FILE`.
package struct MediaPlace: Sendable, Hashable {
    /// Scheme, host and perhaps a port, such as `https://photos.example.org`.
    package let origin: String
    package let bucket: String

    package init(origin: String, bucket: String) {
        self.origin = origin
        self.bucket = bucket
    }

    /// What all addresses of objects begin with.
    private var prefix: String { "\(origin)/v0/b/\(bucket)/o/" }
    private static let suffix = "?alt=media"
    /// Between the parts of an object's name.
    private static let slash = "%2F"

    /// The absolute address of a rendition, in the form in which Firebase's Storage SDKs know addresses: apps can delete by it,
    /// and read the bucket and the name from it.
    package func url(_ owner: UserID, _ post: PostID, _ fileName: String) -> String {
        // Ids and file names have no character that is to be escaped.
        let name = ["\(owner)", "rendition", "\(post)", fileName].joined(separator: Self.slash)
        return prefix + name + Self.suffix
    }

    /// The owner, the post and the file of an address that ``url(_:_:_:)`` has made, at whatever place; nil for any other.
    package static func parts(of url: String) -> (place: MediaPlace, owner: String, post: String, fileName: String)? {
        let parts = url.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 8, parts[1].isEmpty, ["http:", "https:"].contains(parts[0]), parts[3] == "v0",
            parts[4] == "b", parts[6] == "o", parts[7].hasSuffix(suffix)
        else { return nil }
        let name = parts[7].dropLast(suffix.count).split(separator: slash, omittingEmptySubsequences: false)
        guard name.count == 4, name[1] == "rendition", !name[3].isEmpty else { return nil }
        let place = MediaPlace(origin: "\(parts[0])//\(parts[2])", bucket: String(parts[5]))
        return (place, String(name[0]), String(name[2]), String(name[3]))
    }
}
