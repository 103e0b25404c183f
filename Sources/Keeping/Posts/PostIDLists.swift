import Model
import Social
import Tree
package import Uploads

/// The posts whose ids are the keys of some lists of the tree.
package struct PostIDLists: Sendable {
    /// The default number of posts per page.
    private static let page = 500

    let lists: [TreePath]
    /// The limits of the creation times of the posts; nil for no limit.
    var since: Timestamp?
    var until: Timestamp?

    /// All posts, public and for audiences; with a user, only the posts of that author.
    static func all(of user: UserID?) -> PostIDLists {
        PostIDLists(
            lists: [
                user.map { PeopleNodes.ownPost($0) } ?? PostNodes.post(),
                user.map { AudienceNodes.postBy($0) } ?? AudienceNodes.post(),
            ])
    }

    /// Returns the next posts in the order of their ids; empty after the last.
    func page(after position: PostID?, limit: Int = page, in tree: TreeStore) async throws -> [PostID] {
        var position = position
        while true {
            var keys: Set<TreeKey> = []
            for list in lists {
                keys.formUnion(try await tree.keys(of: list, range: range(after: position), limit: limit))
            }
            let page = keys.sorted().prefix(limit)
            let ids = page.compactMap { PostID($0.string) }
            guard ids.isEmpty, let last = page.last else { return ids }
            // Clients may have written keys that are not ids; these are skipped.
            guard page.count == limit, let next = PostID(last.string) else { return [] }
            position = next
        }
    }

    /// Returns the number of posts, from the per-day counters (``PostDays``).
    func count(in tree: TreeStore) async throws -> Int {
        try await tree.snapshot { snapshot in
            let version = try snapshot.get(StoreNodes.socialVersion() / "done")?.integerValue
            return try lists.reduce(0) { sum, list in
                try sum
                    + PostDays.count(
                        list, since: since, until: until, areKept: version == SocialDerivations.version, in: snapshot)
            }
        }
    }

    private func range(after position: PostID?) -> KeyRange {
        let range = PostDays.range(since: since, until: until)
        return KeyRange(lower: position.map { .excluding($0.key) } ?? range.lower, upper: range.upper)
    }
}

extension RethumbRun {
    /// The posts of the run.
    package var posts: PostIDLists { PostIDLists(lists: [WorkNodes.rethumbRun(id)]) }
}
