import Model
import Social
import Tree
package import Uploads

/// Posts by their ids, out of lists whose keys these are.
package struct PostIDLists: Sendable {
    /// How many are read at a time.
    private static let page = 500

    let lists: [TreePath]
    /// Only posts made since then, and until then.
    var since: Timestamp?
    var until: Timestamp?

    /// All posts, for everybody and for audiences; with a user, those of that one.
    static func all(of user: UserID?) -> PostIDLists {
        PostIDLists(
            lists: [
                user.map { PeopleNodes.ownPost($0) } ?? PostNodes.post(),
                user.map { AudienceNodes.postBy($0) } ?? AudienceNodes.post(),
            ])
    }

    /// The next posts in the order of their ids; none behind the last.
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
            // Clients may have written other keys than ids: those are passed over.
            guard page.count == limit, let next = PostID(last.string) else { return [] }
            position = next
        }
    }

    /// How many there are: by the numbers that are kept of their days, whatever there is (``PostDays``).
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
    /// The posts of the generation.
    package var posts: PostIDLists { PostIDLists(lists: [WorkNodes.rethumbRun(id)]) }
}
