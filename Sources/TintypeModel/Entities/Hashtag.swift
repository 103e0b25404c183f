/// A hashtag, with the number of its posts.
public struct Hashtag: PageElement {
    /// The name of a list of hashtags in a document.
    public static let listName = "hashtags"
    /// The name of the field that has the id.
    public static let idName = "tag"

    /// The hashtag without its mark.
    public var tag: String
    /// The number of posts; 1,000 means at least 1,000.
    public var postCount: Int

    /// Creates a hashtag.
    public init(_ tag: String, postCount: Int) { (self.tag, self.postCount) = (tag, postCount) }

    private enum CodingKeys: String, CodingKey {
        case tag
        case postCount = "posts"
    }
}
