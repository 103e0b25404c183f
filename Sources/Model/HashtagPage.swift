package import Tree

/// A page of the hashtags that begin with something, in the order of their keys, each with the number of its posts.
package struct HashtagPage: Sendable {
    /// The number of posts beyond which they are not counted.
    package static let maxCount = 1000
    /// The largest number of hashtags on a page: so it costs tens of milliseconds at most, whatever the posts are.
    package static let maxSize = 50

    package private(set) var tags: [(tag: TreeKey, posts: Int)] = []
    /// Whether hashtags follow this page.
    package private(set) var hasMore = false

    /// Reads a page.
    ///
    /// It costs a search for each hashtag and a row for each post that is counted: keys are met one by one, whatever lies below
    /// them.
    ///
    /// - Parameters:
    ///   - prefix: The beginning, as ``Hashtags/prefix(_:)`` has it.
    ///   - last: The last hashtag of the page before; nil for the first page.
    ///   - limit: The largest number of hashtags.
    package init(
        _ prefix: String, after last: TreeKey?, limit: Int, in snapshot: TreeSnapshot
    ) throws(TreeError) {
        let range = last.map { KeyRange.after($0) } ?? Self.rows(from: prefix)
        for key in try snapshot.keys(of: PostNodes.tagged(), range: range, limit: limit + 1) {
            guard key.string.utf8.starts(with: prefix.utf8) else { return }
            guard tags.count < limit else {
                hasMore = true
                return
            }
            tags.append((key, try snapshot.children(of: PostNodes.tagged(key), limit: Self.maxCount).count))
        }
    }

    /// The rows from the first on that may begin with it. A number would be taken for a key that is one, which come before all
    /// others: the space, before which no letter comes, keeps it from that. No hashtag is a number.
    private static func rows(from prefix: String) -> KeyRange {
        guard !prefix.isEmpty else { return .all }
        let isNumber = prefix.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return .from(TreeKey(unchecked: isNumber ? prefix + " " : prefix))
    }
}
