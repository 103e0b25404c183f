import TreeModel

/// The stable names of a file of an upload: they never expire, and hold no host but the one by which the service is known.
package struct MediaAddress: Sendable, Hashable {
    package let owner: UserID
    /// The post, or other upload, that the file is of.
    package let id: PostID
    package let fileName: String

    private static let prefix = "/media/"

    /// Reads the address of a file of an upload, with or without a host, whichever that is; nil for any other.
    package init?(_ url: String) {
        let names: [Substring]
        if url.hasPrefix(Self.prefix) {
            names = url.dropFirst(Self.prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        } else {
            names = PublicBase.names(in: url) ?? []
        }
        guard names.count == 3, let owner = UserID(String(names[0])), let id = PostID(String(names[1])),
            !names[2].isEmpty
        else { return nil }
        (self.owner, self.id, fileName) = (owner, id, String(names[2]))
    }

    /// The address under which the service serves the file: a path, or the whole address where it is known by one.
    package static func url(
        _ owner: UserID, _ post: PostID, _ fileName: String, at base: PublicBase?
    ) -> String {
        base?.url(owner, post, fileName) ?? "\(prefix)\(owner)/\(post)/\(fileName)"
    }

    /// Where the file lies, relative to the Storage folder.
    package static func storageURI(_ owner: UserID, _ post: PostID, _ fileName: String) -> String {
        "blobs/\(owner)/\(post)/\(fileName)"
    }
}
