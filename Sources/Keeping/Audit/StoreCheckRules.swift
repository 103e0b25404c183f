import API
import Model
import Social
import Store
import Tree
import Uploads

extension TreeInvariant {
    /// All rules: what the pipeline relies on, the index of photos, posts, lists, what follows from people's doings, and how much
    /// room files take up.
    package static let all =
        pipeline + PhotoIndex.rules + posts + lists + RepairStage.all.map { TreeInvariant($0) } + UsageInvariants.all

    // MARK: The pipeline's own records

    private static let pipeline: [TreeInvariant] = [
        TreeInvariant(.uploadUnreadable, at: UploadNodes.upload.pattern) { node, snapshot throws(TreeError) in
            guard let id = id(at: node), try snapshot.upload(id) != nil else {
                return "the record of this upload cannot be read"
            }
            return nil
        },
        TreeInvariant(.uploadNotQueued, at: TreePattern(UploadNodes.upload.path / "state")) {
            node, snapshot throws(TreeError) in
            let key = node.keys[1]
            let state = try snapshot.get(node)?.stringValue.flatMap(UploadState.init)
            guard state?.isTerminal == false, try !snapshot.exists(UploadNodes.queued() / key),
                let id = PostID(key.string),
                let record = try snapshot.upload(id)
            else { return [] }
            return [TreeWrite(path: UploadNodes.queued() / key, value: QueueEntry(record).value)]
        },
        dangling(UploadNodes.queued.path) { node, snapshot throws(TreeError) in
            try snapshot.exists(UploadNodes.upload() / node.keys[1])
        },
        dangling(UploadNodes.reference.path) { node, snapshot throws(TreeError) in
            guard let id = try snapshot.get(node)?.stringValue.flatMap({ PostID($0) }) else { return false }
            return try snapshot.exists(UploadNodes.upload(id))
        },
        dangling(UploadNodes.ended.path) { node, snapshot throws(TreeError) in
            try snapshot.exists(UploadNodes.upload() / node.keys[1])
        },
        dangling(WorkNodes.prepared.path) { node, snapshot throws(TreeError) in
            try snapshot.exists(WorkNodes.rethumbRun() / node.keys[2] / node.keys[1] / "after")
        },
        dangling(UploadNodes.attempt.path) { node, snapshot throws(TreeError) in
            guard let entry = try snapshot.get(node / "garbage")?.stringValue.flatMap({ try? TreeKey($0) }) else {
                return false
            }
            return try snapshot.exists(FileNodes.garbage() / entry)
        },
        dangling(WorkNodes.rethumbRun() / "*") { node, snapshot throws(TreeError) in
            try snapshot.exists(WorkNodes.postRun() / node.keys[1])
        },
        TreeInvariant(.linkHalf, at: ObjectNodes.link.pattern) { node, snapshot throws(TreeError) in
            guard let upload = try snapshot.get(node)?.stringValue.flatMap({ PostID($0) }) else {
                return [TreeWrite(path: node, value: nil)]
            }
            return [TreeWrite(path: ObjectNodes.post(upload) / node.keys[1], value: true)]
        },
        TreeInvariant(.linkHalf, at: ObjectNodes.post.pattern) {
            node, snapshot throws(TreeError) in
            let linked = try PostID(node.keys[2].string).flatMap { id throws(TreeError) in
                try ObjectLinks.upload(ofPost: id, in: snapshot)
            }
            return linked?.key == node.keys[1] ? [] : [TreeWrite(path: node, value: nil)]
        },
        TreeInvariant(.objectUnreadable, at: ObjectKey.pattern) { node, snapshot throws(TreeError) in
            guard let name = ObjectKey.name(at: node), let value = try snapshot.get(node) else {
                return "the name of this object cannot be read"
            }
            return (try? StoredObject(name, value)) == nil ? "the record of \(name) cannot be read".printable : nil
        },
        TreeInvariant(.objectUnlisted, at: ObjectKey.pattern) { node, snapshot throws(TreeError) in
            guard let name = ObjectKey.name(at: node), let value = try snapshot.get(node),
                let object = try? StoredObject(name, value)
            else { return [] }
            let file = ObjectFile(folder: object.blob.userID, name: name)
            return [TreeWrite(path: ObjectNodes.file(TreeKey(unchecked: object.blob.postID)), value: file.value)]
        },
    ]

    // MARK: Posts

    private static let posts = rules(of: PostNodes.post()) + rules(of: AudienceNodes.post()) + besidePosts

    private static func rules(of list: TreePath) -> [TreeInvariant] {
        [
            TreeInvariant(.postUnreadable, at: TreePattern(list / "*")) { node, snapshot throws(TreeError) in
                guard let post = try snapshot.get(node), PostPhotos.read(post) == nil else { return nil }
                return "what the post says of its photos cannot be read"
            },
            TreeInvariant(.uploadMissing, at: TreePattern(list / "*" / "photos")) { node, snapshot throws(TreeError) in
                guard let id = PostID(node.keys[1].string), try ObjectPosts.upload(behindPost: id, in: snapshot) == nil,
                    let photos = try snapshot.get(node), !photos.fileNames.isEmpty
                else { return nil }
                return "the post shows photos of ours, and the record of its upload is gone"
            },
            TreeInvariant(.authorMissing, at: TreePattern(list / "*" / "author" / "uid")) {
                node, snapshot throws(TreeError) in
                // What clients of the database post, they may post for whom they like.
                let upload = UploadNodes.upload() / node.keys[1] / "owner"
                guard let author = try snapshot.get(node)?.stringValue, try snapshot.get(upload) == .string(author),
                    let uid = UserID(author), try !snapshot.exists(PeopleNodes.person(uid) / "full_name"),
                    try !snapshot.exists(PersonDeletion.task(of: uid))
                else { return nil }
                return "there is no person \(uid) with a name"
            },
        ]
    }

    private static let besidePosts: [TreeInvariant] =
        [
            TreeInvariant(.postTwice, at: AudienceNodes.post.pattern) { node, snapshot throws(TreeError) in
                try snapshot.exists(PostNodes.post() / node.keys[1]) ? "the post stands at posts/, too" : nil
            }
        ] + withoutPost(.likesWithoutPost, at: ReactionNodes.like.pattern.parent)
        + withoutPost(.commentsWithoutPost, at: ReactionNodes.comment.pattern.parent)

    /// The rules for what people have made of posts: what came when a post had been deleted goes; where a post was lost, it
    /// stays for a person.
    private static func withoutPost(_ kind: FindingKind, at place: TreePattern) -> [TreeInvariant] {
        [
            dangling(place.path) { node, snapshot throws(TreeError) in
                guard try lacksPost(node, snapshot) else { return true }
                return try !wasDeleted(node.keys[1], snapshot)
            },
            TreeInvariant(kind, at: place) { node, snapshot throws(TreeError) in
                guard try lacksPost(node, snapshot), try !wasDeleted(node.keys[1], snapshot) else { return nil }
                return "there is no such post"
            },
        ]
    }

    /// Whether it is known that somebody has deleted the post of a key.
    private static func wasDeleted(_ key: TreeKey, _ snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        if try snapshot.exists(FileNodes.deleted() / key) { return true }
        return try snapshot.get(UploadNodes.upload() / key / "state") == .string(UploadState.deleted.rawValue)
    }

    /// Whether there is no post of the key, and nothing that is about to remove what is left of it.
    private static func lacksPost(_ node: TreePath, _ snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        let key = node.keys[1]
        return try !snapshot.hasAny(of: [PostNodes.post() / key, AudienceNodes.post() / key, WorkNodes.followUpTask()])
    }

    // MARK: Lists of posts

    private static let lists: [TreeInvariant] = [
        TreeInvariant(.postUnlisted, at: PostNodes.post.pattern) { node, snapshot throws(TreeError) in
            // One that has no position gets that of the next commit.
            try PostOrder.writes(
                for: node.keys[1], isThere: true, at: PostPosition(sequence: try snapshot.token.sequence + 1),
                isOfEarlierVersion: true, in: snapshot)
        },
        dangling(PostNodes.position.path) { node, snapshot throws(TreeError) in
            try snapshot.exists(PostNodes.post() / node.keys[1])
        },
        dangling(PostNodes.published.path, isListed),
        dangling(PostNodes.publishedBy.path, isListed),
        dangling(PostNodes.taggedInOrder.path, isListed),
        dangling(PeopleNodes.ownPost.path) { node, snapshot throws(TreeError) in
            let author = try snapshot.get(PostNodes.post() / node.keys[3] / "author" / "uid")
            return author == .string(node.keys[1].string)
        },
        dangling(FeedNodes.entry.path) { node, snapshot throws(TreeError) in
            // While there is work left behind commits, that of a deletion may be among it.
            try snapshot.hasAny(of: [PostNodes.post() / node.keys[2], WorkNodes.followUpTask()])
        },
        dangling(ReactionNodes.commented.path) { node, snapshot throws(TreeError) in
            let author = try snapshot.get(ReactionNodes.comment(node.keys[2], node.keys[3]) / "author" / "uid")
            return author == .string(node.keys[1].string)
        },
    ]

    /// Whether the post of a row of the order of publication stands at that position.
    private static let isListed: @Sendable (TreePath, TreeSnapshot) throws(TreeError) -> Bool = {
        node, snapshot throws(TreeError) in
        guard let key = node.keys.last, let value = try snapshot.get(node),
            let row = ListedPost(TreeChild(key: key, value: value)),
            let place = try PublicationEntry(of: row.id, in: snapshot), place.position == row.position
        else { return false }
        switch node.keys[0] {
        case PostNodes.publishedBy.root: return place.author?.key == node.keys[1]
        case PostNodes.taggedInOrder.root: return place.lists(tag: node.keys[1])
        default: return true
        }
    }

    // MARK: -

    /// A list of which each entry has something behind it.
    static func dangling(
        _ path: TreePath, _ hasCause: @escaping @Sendable (TreePath, TreeSnapshot) throws(TreeError) -> Bool
    ) -> TreeInvariant {
        TreeInvariant(.entryDangling, at: TreePattern(path)) { node, snapshot throws(TreeError) in
            try hasCause(node, snapshot) ? [] : [TreeWrite(path: node, value: nil)]
        }
    }

    private static func id(at node: TreePath) -> PostID? { node.lastKey.flatMap { PostID($0.string) } }
}
