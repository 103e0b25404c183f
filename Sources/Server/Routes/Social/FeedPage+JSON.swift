package import API
import Model
import Social
import TreeModel

extension PostPageDocument {
    /// - Parameter isForAudiences: Whether the posts are for audiences.
    init(_ page: FeedPage, _ media: MediaAccess, isForAudiences: Bool = false) {
        self.init()
        let records = isForAudiences ? "audience_posts" : "posts"
        posts = page.items.map { $0.document(media, isRestricted: isForAudiences) }
        hasMore = page.posts.hasMore
        next = page.posts.next?.description
        guard !page.posts.skipped.isEmpty else { return }
        skipped = page.posts.skipped.map { Skipped(path: "\(records)/\($0.id)", reason: $0.fault) }
    }
}

extension FeedItem {
    /// Returns the post with its surrounding fields, and with signed addresses unless its photos are public.
    ///
    /// - Parameter isRestricted: Whether the post is for audiences.
    package func document(_ media: MediaAccess, isRestricted: Bool = false) -> PostDocument {
        PostDocument(media.signed(value, id: id, isRestricted: isRestricted))
    }

    /// The post with its surrounding fields; fields of the same names that clients have written are not shown.
    private var value: TreeValue {
        var fields = record.shown(withID: id, times).object ?? [:]
        fields["kind"] = .string(kind)
        fields["position"] = position.map { .string($0.description) }
        fields["counts"] = counts.map { ["likes": .integer($0.likes), "comments": .integer($0.comments)] }
        fields["liked"] = isLiked.map { .bool($0) }
        let numbered = comments.enumerated().map { (TreeKey(unchecked: "\($0.offset)"), $0.element.value) }
        fields["comments"] = numbered.isEmpty ? nil : .object(Dictionary(uniqueKeysWithValues: numbered))
        return .object(fields)
    }
}

extension Comment {
    /// The comment as it is shown with a post.
    fileprivate var value: TreeValue {
        var author: [TreeKey: TreeValue] = [
            "uid": .string(self.author), "full_name": .string(fullName ?? self.author),
        ]
        author["profile_picture"] = profilePicture.map { .string($0) }
        var fields: [TreeKey: TreeValue] = [
            "comment_id": .string(id.string), "author": .object(author), "text": .string(text),
            "timestamp": timestamp.value,
        ]
        fields["created"] = times.created?.value
        fields["updated"] = times.updated?.value
        return .object(fields)
    }
}

extension TreeValue {
    /// Returns a post as it is shown: with its id, which in the tree is its key, with its times, and with its mentions
    /// in both units.
    func shown(withID id: TreeKey, _ times: EntityTimes) -> TreeValue {
        var fields = shown(times).object ?? [:]
        fields["post_id"] = .string(id.string)
        return .object(fields)
    }

    /// Returns a post as it is shown without its id.
    func shown(_ times: EntityTimes) -> TreeValue {
        var fields = withShownMentions.object ?? [:]
        fields["created"] = times.created?.value
        fields["updated"] = times.updated?.value
        return .object(fields)
    }
}
