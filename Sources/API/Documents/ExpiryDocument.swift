/// Posts that are older than somebody asked for: some of them.
package struct ExpiryDocument: Document {
    /// How many they are.
    package let posts: Int
    /// The sum of their files, in bytes.
    package let bytes: Int
    /// Whether they were deleted, or only counted.
    package let deleted: Bool
    /// From where to go on; nil when these were the last.
    package let next: String?

    package init(posts: Int, bytes: Int, deleted: Bool, next: String?) {
        (self.posts, self.bytes, self.deleted, self.next) = (posts, bytes, deleted, next)
    }
}
