/// Where apps reach the files of posts, from wherever they are: the address by which the service is known, and the name that
/// its bucket has there, in which every rendition is an object `USER/rendition/POST/FILE`.
package struct PublicBase: Sendable, Hashable {
    /// Scheme, host and perhaps a port, such as `https://photos.example.org`.
    package let origin: String
    package let bucket: String

    package init(origin: String, bucket: String) {
        self.origin = origin
        self.bucket = bucket
    }

    /// The name of the bucket of a service that its clients know by the name of that project.
    package static func bucket(ofProject project: String) -> String { "\(project).appspot.com" }

    private static let suffix = "?alt=media"
    /// Between the parts of an object's name.
    private static let slash = "%2F"

    /// The absolute address of a rendition, in the form in which Firebase's Storage SDKs know addresses: apps can delete by it,
    /// and read the bucket and the name from it.
    func url(_ owner: UserID, _ post: PostID, _ fileName: String) -> String {
        // Ids and file names have no character that is to be escaped.
        let name = ["\(owner)", "rendition", "\(post)", fileName].joined(separator: Self.slash)
        return "\(origin)/v0/b/\(bucket)/o/\(name)\(Self.suffix)"
    }

    /// Takes the address of an object apart, at whatever base: the name as it stands there, with what follows it. Nil for any
    /// other address.
    package static func split(_ url: String) -> (base: PublicBase, object: Substring)? {
        // By scalars, as a character may be a slash with a mark that belongs to the name.
        let parts = url.unicodeScalars.split(separator: "/", maxSplits: 7, omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard parts.count == 8, ["http:", "https:"].contains(parts[0]), parts[1].isEmpty, !parts[2].isEmpty,
            parts[3] == "v0", parts[4] == "b", !parts[5].isEmpty, parts[6] == "o"
        else { return nil }
        return (PublicBase(origin: "\(parts[0])//\(parts[2])", bucket: String(parts[5])), parts[7])
    }

    /// The owner, the post and the file in an address that ``url(_:_:_:)`` has made, at whatever base; nil for any other.
    static func names(in url: String) -> [Substring]? {
        guard let object = split(url)?.object, object.hasSuffix(suffix), !object.unicodeScalars.contains("/") else {
            return nil
        }
        let names = object.dropLast(suffix.count).split(separator: slash, omittingEmptySubsequences: false)
        guard names.count == 4, names[1] == "rendition" else { return nil }
        return [names[0], names[2], names[3]]
    }
}
