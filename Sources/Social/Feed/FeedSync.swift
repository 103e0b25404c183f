import Model
import Tree

/// Adds missing posts to a home feed when it is read; publishing a post writes to no feed.
///
/// A feed has a mark, a position in the order of publication. The feed contains all posts up to the mark by the reader
/// and the reader's followees, except those that a follow-up task is still adding (``HomeFeedTask``, ``BackfillTask``).
/// Posts after the mark are searched in one snapshot of the tree, without blocking writers. They are written with the
/// new mark in one update, if the mark has not changed, and each only if it still exists and its author is still
/// followed. Concurrent posts and follows do not conflict: new posts are after the new mark, and the posts of a new
/// followee are added by the follow-up task of that follow.
struct FeedSync: Sendable {
    /// The number of attempts for a feed that others read at the same time.
    private static let maxTries = 3

    private let tree: TreeStore
    private let bounds: FeedBounds

    init(_ tree: TreeStore, _ bounds: FeedBounds) {
        self.tree = tree
        self.bounds = bounds
    }

    /// Brings a feed up to date: it then contains the newest posts, and a follow-up task adds the rest if necessary.
    func bringUpToDate(_ reader: UserID) async throws {
        for _ in 0..<Self.maxTries {
            let found = try await tree.snapshot { snapshot in
                try snapshot.exists(PeopleNodes.person(reader)) ? NewPosts(for: reader, bounds, in: snapshot) : nil
            }
            guard let found, found.isWorthWriting else { return }
            if try await write(found, to: reader) { return }
        }
    }

    /// Writes the missing posts.
    ///
    /// - Returns: Whether the feed was unchanged since the search; otherwise nothing is written.
    @discardableResult
    func write(_ new: NewPosts, to reader: UserID) async throws -> Bool {
        try await tree.transact { snapshot, update in try Self.write(new, to: reader, in: snapshot, &update) }.0
    }

    /// Returns the mark of a feed; nil before the first reading.
    static func mark(of reader: UserID, in snapshot: TreeSnapshot) throws(TreeError) -> PostPosition? {
        guard let text = try snapshot.get(FeedNodes.homeMark(reader))?.stringValue else { return nil }
        return PostPosition(key: TreeKey(unchecked: text))
    }

    /// - Returns: Whether the feed is unchanged since the search.
    private static func write(
        _ new: NewPosts, to reader: UserID, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> Bool {
        guard try mark(of: reader, in: snapshot) == new.mark else { return false }
        // A reader who has been deleted in the meantime has no feed.
        guard try snapshot.exists(PeopleNodes.person(reader)) else { return true }
        // The marks belong to existing links, so these writes add no follow.
        update.scope = .none
        var followees: [UserID: Bool] = [:]
        for post in new.posts {
            guard let place = try PublicationEntry(of: post.id, in: snapshot), place.position == post.position,
                let author = place.author
            else { continue }
            if author != reader {
                if followees[author] == nil {
                    let isFollowed = try snapshot.exists(PeopleNodes.following(reader) / author.key)
                    followees[author] = isFollowed
                    // The newest post is the first.
                    if isFollowed { FolloweeMark.write(post.id, of: author, to: reader, &update) }
                }
                guard followees[author] == true else { continue }
            }
            HomeFeedRows.add([post], to: reader, &update)
        }
        update[FeedNodes.homeMark(reader)] = .string(new.end.key.string)
        // At the first reading, the reader may have followed a person since the search.
        if new.mark == nil || !new.isComplete {
            try HomeFeedTask.begin(for: reader, after: new.mark, in: snapshot, &update)
        }
        return true
    }
}
