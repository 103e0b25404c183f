package import TreeModel

/// Where things stand in the tree: FriendlyPix's layout, name for name.
package enum Paths {
    package static let posts: TreePath = "posts"

    package static func post(_ id: PostID) -> TreePath { posts / id.key }

    package static let people: TreePath = "people"

    package static func person(_ uid: UserID) -> TreePath { people / uid.key }

    /// The ids of a person's own posts, each `true`.
    package static func postsOf(_ uid: UserID) -> TreePath { person(uid) / "posts" }

    /// What a person sees on the home screen: post ids, each `true`.
    package static func feed(_ uid: UserID) -> TreePath { "feed" / uid.key }

    package static func comments(_ id: PostID) -> TreePath { "comments" / id.key }

    package static func likes(_ id: PostID) -> TreePath { "likes" / id.key }

    package static let hashtags: TreePath = "hashtags"

    package static func hashtag(_ tag: TreeKey) -> TreePath { hashtags / tag }
}

// MARK: The order of publication

extension Namespace {
    /// What the service derives from posts: a tree that clients cannot reach.
    package static let social = Namespace(reserved: "social")
}

extension Paths {
    /// All that stands at `posts/`, by its position in the order of publication (``ListedPost``).
    package static let publishedPosts = TreePath(["all"], in: .social)

    /// The posts of one author, by their positions: the ids.
    package static func publishedPosts(by author: UserID) -> TreePath {
        TreePath(["published", author.key], in: .social)
    }

    /// The posts that have a hashtag, by their positions: the ids.
    package static func taggedPosts(_ tag: TreeKey) -> TreePath { TreePath(["tagged", tag], in: .social) }

    /// What the order of publication has of each post, by its id (``PostPlace``).
    package static let postPositions = TreePath(["positions"], in: .social)

    package static func postPosition(_ id: TreeKey) -> TreePath { postPositions / id }
}
