import API
import Posts
import TreeModel

extension PostPageDocument {
    init(_ page: PostPage) {
        self.init()
        posts = page.items.map { PostDocument($0.record.withPostID($0.id)) }
        hasMore = page.hasMore
        next = page.next?.description
        guard !page.skipped.isEmpty else { return }
        skipped = page.skipped.map { Skipped(path: "posts/\($0.id)", reason: $0.fault) }
    }
}

extension TreeValue {
    /// A post with its id in it, which in the tree is its key.
    func withPostID(_ id: TreeKey) -> TreeValue {
        var fields = object ?? [:]
        fields["post_id"] = .string(id.string)
        return .object(fields)
    }
}
