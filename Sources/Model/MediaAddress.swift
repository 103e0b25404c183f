import TreeModel

/// The stable addresses of a file of an upload: they never expire, and contain no host but the public one of the
/// service.
package struct MediaAddress: Sendable, Hashable {
    package let owner: UserID
    /// The post, or another upload, that the file belongs to.
    package let id: PostID
    package let fileName: String

    private static let prefix = "/media/"

    /// Reads the address of a file of an upload, without a host or with any host; nil for any other address.
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

    /// Returns the address at which the service serves the file: a path, or an absolute address if the service has a
    /// public one.
    package static func url(
        _ owner: UserID, _ post: PostID, _ fileName: String, at base: PublicBase?
    ) -> String {
        base?.url(owner, post, fileName) ?? "\(prefix)\(owner)/\(post)/\(fileName)"
    }

    /// Returns the path of the file relative to the Storage folder.
    package static func storageURI(_ owner: UserID, _ post: PostID, _ fileName: String) -> String {
        "blobs/\(owner)/\(post)/\(fileName)"
    }
}
