public import Files

/// The validated name of a blob, `user_id/post_id/file_name`.
///
/// Each part is 1 to 255 bytes of ASCII letters, digits, `.`, `_` and `-`, and does not begin with a dot. Therefore a
/// name can neither lead out of the store nor collide with its temporary files.
public struct BlobName: Hashable, Sendable, CustomStringConvertible {
    /// The id of the user whose post the blob belongs to.
    public let userID: String
    /// The post that the blob belongs to.
    public let postID: String
    /// The blob's own name within the post.
    public let fileName: String

    /// Creates a name from its three parts.
    ///
    /// - Throws: `FileError` with the code `bad_name` that quotes the part.
    public init(userID: String, postID: String, fileName: String) throws(FileError) {
        for part in [userID, postID, fileName] where !Self.isValid(part) {
            throw FileError(
                .badName, "\"\(part.prefix(80))\" cannot be part of a blob's name",
                hint: "Use 1 to 255 letters, digits, - _ or ., not beginning with a dot.")
        }
        self.userID = userID
        self.postID = postID
        self.fileName = fileName
    }

    /// Parses a name in the form `user_id/post_id/file_name`.
    public init(_ text: String) throws(FileError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else {
            throw FileError(.badName, "\"\(text.prefix(80))\" is not user_id/post_id/file_name")
        }
        try self.init(userID: parts[0], postID: parts[1], fileName: parts[2])
    }

    /// The name as `user_id/post_id/file_name`.
    public var description: String { "\(userID)/\(postID)/\(fileName)" }

    static func isValid(_ part: String) -> Bool {
        (1...255).contains(part.utf8.count) && part.utf8.first != UInt8(ascii: ".")
            && part.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
