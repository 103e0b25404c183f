import Model
import Tree

/// FriendlyPix's marks: the id of a followee's last post in a feed, on both sides of the link. Clients of the database
/// use them; the service only writes them.
enum FolloweeMark {
    static func write(_ post: TreeKey, of followee: UserID, to reader: UserID, _ update: inout MultiPathUpdate) {
        update[PeopleNodes.following(reader) / followee.key] = .string(post.string)
        update[PeopleNodes.follower(followee) / reader.key] = .string(post.string)
    }

    /// Raises the mark of a followee, unless it names a later post.
    static func raise(
        to post: ListedPost, of followee: UserID, to reader: UserID, in snapshot: TreeSnapshot,
        _ update: inout MultiPathUpdate
    ) throws(TreeError) {
        let mark = try snapshot.get(PeopleNodes.following(reader) / followee.key)?.stringValue.flatMap {
            try? TreeKey($0)
        }
        if let mark, let known = try snapshot.position(ofPost: mark), known >= post.position { return }
        write(post.id, of: followee, to: reader, &update)
    }
}
