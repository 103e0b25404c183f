/// A batch of posts that are older than the requested age.
package struct ExpiryDocument: Document {
    /// The number of posts.
    package let posts: Int
    /// The total size of their files, in bytes.
    package let bytes: Int
    /// Whether the posts were deleted; otherwise they were only counted.
    package let deleted: Bool
    /// The cursor with which to continue; nil after the last batch.
    package let next: String?

    package init(posts: Int, bytes: Int, deleted: Bool, next: String?) {
        (self.posts, self.bytes, self.deleted, self.next) = (posts, bytes, deleted, next)
    }
}
