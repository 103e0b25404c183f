import Model
import Tree

/// Writes into a home feed what it lacks, when it is read: nobody's post is written to feeds when it is published.
///
/// A feed has a mark, a position in the order of publication. All posts up to there of the reader, and of whom the reader
/// follows, are in the feed, but for those that a follow-up task is bringing (``HomeFeedTask``, ``BackfillTask``). The posts
/// behind the mark are looked for in one state of the tree, in which nobody waits for the reader. They are written with the
/// new mark in one update, if the mark is still as it was, and each only if it is still there and its author still followed.
/// Whoever publishes or follows meanwhile is not in the way: what is published then is behind the new mark, and the posts of
/// who is followed then come by the follow-up task of that follow.
struct FeedSync: Sendable {
    /// How often a feed is tried that is being read by others at the same time.
    private static let maxTries = 3

    private let tree: TreeStore
    private let bounds: FeedBounds

    init(_ tree: TreeStore, _ bounds: FeedBounds) {
        self.tree = tree
        self.bounds = bounds
    }

    /// Brings a feed up to date: the newest posts are in it afterwards, and where that is not all, a follow-up task brings
    /// the rest.
    func bringUpToDate(_ reader: UserID) async throws {
        for _ in 0..<Self.maxTries {
            let found = try await tree.snapshot { snapshot in
                try snapshot.exists(PeopleNodes.person(reader)) ? NewPosts(for: reader, bounds, in: snapshot) : nil
            }
            guard let found, found.isWorthWriting else { return }
            if try await write(found, to: reader) { return }
        }
    }

    /// Writes what was found missing.
    ///
    /// - Returns: Whether the feed was still as it was when the posts were looked for; else nothing is written.
    @discardableResult
    func write(_ new: NewPosts, to reader: UserID) async throws -> Bool {
        try await tree.transact { snapshot, update in try Self.write(new, to: reader, in: snapshot, &update) }.0
    }

    /// The mark of a feed; nil before the first reading.
    static func mark(of reader: UserID, in snapshot: TreeSnapshot) throws(TreeError) -> PostPosition? {
        guard let text = try snapshot.get(FeedNodes.homeMark(reader))?.stringValue else { return nil }
        return PostPosition(key: TreeKey(unchecked: text))
    }

    /// - Returns: Whether the feed is still as it was when the posts were looked for.
    private static func write(
        _ new: NewPosts, to reader: UserID, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> Bool {
        guard try mark(of: reader, in: snapshot) == new.mark else { return false }
        // Whoever has been deleted meanwhile has no feed.
        guard try snapshot.exists(PeopleNodes.person(reader)) else { return true }
        // The marks are of links that are there; nobody follows anybody by this.
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
                    // The newest comes first.
                    if isFollowed { FolloweeMark.write(post.id, of: author, to: reader, &update) }
                }
                guard followees[author] == true else { continue }
            }
            HomeFeedRows.add([post], to: reader, &update)
        }
        update[FeedNodes.homeMark(reader)] = .string(new.end.key.string)
        // At the first reading, somebody may have been followed since the posts were looked for.
        if new.mark == nil || !new.isComplete {
            try HomeFeedTask.begin(for: reader, after: new.mark, in: snapshot, &update)
        }
        return true
    }
}
