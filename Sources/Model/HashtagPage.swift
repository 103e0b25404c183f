package import Tree

/// A page of the hashtags with a prefix, in the order of their keys, each with the number of its posts.
package struct HashtagPage: Sendable {
    /// The number up to which posts are counted.
    package static let maxCount = 1000
    /// The largest number of hashtags on a page, so that it takes tens of milliseconds at most, regardless of the
    /// posts.
    package static let maxSize = 50

    package private(set) var tags: [(tag: TreeKey, posts: Int)] = []
    /// Whether hashtags follow this page.
    package private(set) var hasMore = false

    /// Reads a page.
    ///
    /// It costs a search for each hashtag and a row for each post that is counted: keys are visited one by one, without
    /// the data below them.
    ///
    /// - Parameters:
    ///   - prefix: The prefix, normalised by ``Hashtags/prefix(_:)``.
    ///   - last: The last hashtag of the previous page; nil for the first page.
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

    /// Returns the range of rows that may begin with a prefix. A prefix of digits would be read as a key that is a
    /// number, which are sorted before all others; the appended space, which is sorted before every letter, prevents
    /// that. No hashtag is a number.
    private static func rows(from prefix: String) -> KeyRange {
        guard !prefix.isEmpty else { return .all }
        let isNumber = prefix.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return .from(TreeKey(unchecked: isNumber ? prefix + " " : prefix))
    }
}
