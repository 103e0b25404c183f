package import Tree
package import TreeModel

/// Where posts stand that are for audiences, and not for everybody.
extension Paths {
    /// Who an audience is: `name`, `kind`, and `members`.
    package static let audiences: TreePath = "audiences"

    package static func audience(_ id: AudienceID) -> TreePath { audiences / id.key }

    /// The members of an audience, each with what they may do: `owner`, `poster` or `reader`.
    package static func members(of id: AudienceID) -> TreePath { audience(id) / "members" }

    /// The audiences that somebody is a member of, each with what they may do: the other side of ``members(of:)``.
    package static func memberships(of uid: UserID) -> TreePath { "memberships" / uid.key }

    /// Posts for audiences: the records of `posts/`, and `audiences/{audience}`, each `true`.
    package static let audiencePosts: TreePath = "audience_posts"

    package static func audiencePost(_ id: PostID) -> TreePath { audiencePosts / id.key }

    /// Copies of the posts that an audience has, by their ids: what its members read.
    package static func story(of id: AudienceID) -> TreePath { "stories" / id.key }

    // MARK: The order of publication, and what else the service knows

    /// The posts that an audience has, by their positions: the ids.
    package static func publishedStory(of id: AudienceID) -> TreePath {
        TreePath(["stories", id.key], in: .social)
    }

    /// The positions that a post for audiences has in the stories of these, by their ids.
    package static func storyPositions(ofPost id: TreeKey) -> TreePath {
        TreePath(["story_positions", id], in: .social)
    }

    /// The posts for audiences that somebody has written: the ids, each `true`.
    package static func audiencePosts(by author: UserID) -> TreePath {
        TreePath(["audience_posts", author.key], in: .social)
    }

    /// The mark of a deleted audience: `true`. No other audience gets the id.
    package static func usedAudience(_ id: TreeKey) -> TreePath { TreePath(["used_audiences", id], in: .social) }

    /// The people whose photos of this id are, or were, of a post for audiences: the ids, each `true`. It stays until the
    /// files are gone, so that nobody sees them who has not.
    package static func restrictedMedia(ofPost id: TreeKey) -> TreePath {
        TreePath(["restricted_media", id], in: .social)
    }
}

extension TreeSnapshot {
    /// Where the record of a post stands: among the posts for audiences, or among those for everybody; nil when there is
    /// none.
    package func path(ofPost id: PostID) throws(TreeError) -> TreePath? {
        // A post for audiences is never taken for another one, whatever somebody puts in the other place.
        for path in [Paths.audiencePost(id), Paths.post(id)] where try exists(path) { return path }
        return nil
    }

    /// Whether there is a post, for everybody or for audiences.
    package func hasPost(_ id: PostID) throws(TreeError) -> Bool { try path(ofPost: id) != nil }

    /// The record of a post, for everybody or for audiences; nil when there is none.
    package func record(ofPost id: PostID) throws(TreeError) -> TreeValue? {
        try path(ofPost: id).flatMap { path throws(TreeError) in try get(path) }
    }
}
