import Posts
import Tree

/// A page of posts, newest first. What clients wrote and is no post is passed over, and named.
///
/// As JSON `{"posts": […], "has_more": …, "next": …, "skipped": […]}`: written by hand, because the tree's values know no
/// empty list.
struct PostPage {
    private var posts: [TreeValue] = []
    /// What was passed over, and why.
    private var skipped: [TreeValue] = []
    /// The cursor of the page after this one; nil when this is the last.
    private var next: TreeKey?

    /// Reads the posts whose ids are the keys at a path, up to `limit`; fewer when others are in the way.
    init(
        of path: TreePath, _ range: KeyRange, in snapshot: TreeSnapshot, limit: Int, maxSkipped: Int
    ) throws(TreeError) {
        let budget = limit + maxSkipped
        let keys = try snapshot.keys(of: path, range: range, order: .descending, limit: budget + 1)
        try self.init(of: keys, in: snapshot, limit: limit, budget: budget)
    }

    /// Reads the posts with these ids, up to `limit`, of which it looks at so many.
    init(of keys: [TreeKey], in snapshot: TreeSnapshot, limit: Int, budget: Int = .max) throws(TreeError) {
        var count = 0
        for key in keys.prefix(budget) where posts.count < limit {
            count += 1
            // A list of a person's posts may name one that is gone.
            guard let record = try snapshot.get(Paths.posts / key) else { continue }
            if let fault = PostShape.fault(of: record) {
                skipped.append(["path": .string("posts/\(key)"), "reason": .string(fault)])
            } else {
                posts.append(record.withPostID(key))
            }
        }
        if count < keys.count { next = keys[count - 1] }
    }

    var json: [UInt8] {
        var bytes = Array("{\"posts\":[".utf8)
        bytes += posts.map { $0.json() }.joined(separator: ",".utf8)
        bytes += "],\"has_more\":\(next != nil)".utf8
        if let next {
            bytes += ",\"next\":".utf8
            bytes += TreeValue.string(next.string).json()
        }
        if !skipped.isEmpty {
            bytes += ",\"skipped\":[".utf8
            bytes += skipped.map { $0.json() }.joined(separator: ",".utf8)
            bytes += "]".utf8
        }
        return bytes + "}".utf8
    }
}
