/// The public base of the addresses of posts' files: the address at which the service is reachable, and the name of its
/// bucket there, in which every rendition is an object `USER/rendition/POST/FILE`.
package struct PublicBase: Sendable, Hashable {
    /// The scheme, the host and, if needed, a port, such as `https://photos.example.org`.
    package let origin: String
    package let bucket: String

    package init(origin: String, bucket: String) {
        self.origin = origin
        self.bucket = bucket
    }

    /// Returns the name of the bucket of a service whose clients use that project id.
    package static func bucket(ofProject project: String) -> String { "\(project).appspot.com" }

    private static let suffix = "?alt=media"
    /// The escaped slash between the parts of an object's name.
    private static let slash = "%2F"

    /// Returns the absolute address of a rendition, in the form that Firebase's Storage SDKs parse: apps can read the
    /// bucket and the name from it, and delete the object.
    func url(_ owner: UserID, _ post: PostID, _ fileName: String) -> String {
        // Ids and file names contain no character that needs escaping.
        let name = ["\(owner)", "rendition", "\(post)", fileName].joined(separator: Self.slash)
        return "\(origin)/v0/b/\(bucket)/o/\(name)\(Self.suffix)"
    }

    /// Splits the address of an object at any base into the base and the escaped name, with the text that follows.
    /// Returns nil for any other address.
    package static func split(_ url: String) -> (base: PublicBase, object: Substring)? {
        // Split by scalars: a slash followed by a combining mark is one character.
        let parts = url.unicodeScalars.split(separator: "/", maxSplits: 7, omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard parts.count == 8, ["http:", "https:"].contains(parts[0]), parts[1].isEmpty, !parts[2].isEmpty,
            parts[3] == "v0", parts[4] == "b", !parts[5].isEmpty, parts[6] == "o"
        else { return nil }
        return (PublicBase(origin: "\(parts[0])//\(parts[2])", bucket: String(parts[5])), parts[7])
    }

    /// Returns the owner, the post and the file in an address that ``url(_:_:_:)`` has created, at any base; nil for
    /// any other.
    static func names(in url: String) -> [Substring]? {
        guard let object = split(url)?.object, object.hasSuffix(suffix), !object.unicodeScalars.contains("/") else {
            return nil
        }
        let names = object.dropLast(suffix.count).split(separator: slash, omittingEmptySubsequences: false)
        guard names.count == 4, names[1] == "rendition" else { return nil }
        return [names[0], names[2], names[3]]
    }
}
