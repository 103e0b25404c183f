import Model
import Tree

/// The posts of all audiences that a person is a member of, as one list. The list is merged when it is read, so that
/// the cost of a post does not depend on the number of members of its audiences.
struct MemberAudienceFeeds: PostList {
    /// The largest number of audiences that are merged, in the order of their ids; the number of a person's audiences
    /// is not limited, because others can add members.
    static let maxAudiences = 2000

    private let uid: UserID
    var times: TreeNode { TimeNodes.audiencePost }

    init(of uid: UserID) { self.uid = uid }

    /// An audience feed that is read in batches.
    private struct AudienceFeed {
        let list: TreePath
        var rows: ArraySlice<TreeChild> = []
        var range: KeyRange
        var isAtEnd = false

        /// Returns the next row without removing it; reads a batch if none is left.
        mutating func first(_ batch: Int, from snapshot: TreeSnapshot) throws(TreeError) -> TreeChild? {
            if rows.isEmpty, !isAtEnd {
                let read = try snapshot.children(of: list, range: range, order: .descending, limit: batch)
                isAtEnd = read.count < batch
                if let last = read.last { range = .before(last.key) }
                rows = read[...]
            }
            return rows.first
        }
    }

    func rows(in range: KeyRange, limit: Int, from snapshot: TreeSnapshot) throws(TreeError) -> [TreeChild] {
        var stories: [AudienceFeed] = []
        for key in try snapshot.keys(of: AudienceNodes.membership(uid), limit: Self.maxAudiences) {
            guard let audience = AudienceID(key.string) else { continue }
            stories.append(AudienceFeed(list: AudienceNodes.published(audience), range: range))
        }
        // Each feed's share of the page, and a reserve.
        let batch = 2 * limit / max(1, stories.count) + 1
        var rows: [TreeChild] = []
        while rows.count < limit {
            var next: TreeChild?
            for index in stories.indices {
                guard let row = try stories[index].first(batch, from: snapshot) else { continue }
                if next.map({ $0.key < row.key }) ?? true { next = row }
            }
            guard let next else { break }
            // A post has the same position in all audiences to which it was added in the same commit.
            for index in stories.indices where stories[index].rows.first?.key == next.key {
                stories[index].rows.removeFirst()
            }
            rows.append(next)
        }
        return rows
    }

    /// Returns the copy of a post, with those of its audiences that the person is a member of; if it was added to one
    /// of them later, only its last position counts.
    func record(of post: ListedPost, from snapshot: TreeSnapshot) throws(TreeError) -> TreeValue? {
        var audiences: [AudienceID] = []
        for row in try snapshot.children(of: AudienceNodes.positions(post.id)) {
            guard let audience = AudienceID(row.key.string),
                try snapshot.exists(AudienceNodes.membership(uid) / audience.key)
            else { continue }
            if let text = row.value.stringValue, let position = PostPosition(key: TreeKey(unchecked: text)),
                position > post.position
            {
                return nil
            }
            audiences.append(audience)
        }
        guard let first = audiences.first, var fields = try snapshot.get(AudienceNodes.story(first) / post.id)?.object
        else { return nil }
        fields["audiences"] = .audiences(audiences)
        return .object(fields)
    }
}
