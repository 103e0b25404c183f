import API
import Model
import Social
import Store
import Tree
import Uploads

extension TreeInvariant {
    /// All invariants: of the pipeline, the index of photos, posts, lists, effects of social facts, and the usage of
    /// files.
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
                return "the photos of the post cannot be read"
            },
            TreeInvariant(.uploadMissing, at: TreePattern(list / "*" / "photos")) { node, snapshot throws(TreeError) in
                guard let id = PostID(node.keys[1].string), try ObjectPosts.upload(behindPost: id, in: snapshot) == nil,
                    let photos = try snapshot.get(node), !photos.fileNames.isEmpty
                else { return nil }
                return "the post shows photos of this service, but the record of its upload is missing"
            },
            TreeInvariant(.authorMissing, at: TreePattern(list / "*" / "author" / "uid")) {
                node, snapshot throws(TreeError) in
                // Clients of the database may write any author into their posts.
                let upload = UploadNodes.upload() / node.keys[1] / "owner"
                guard let author = try snapshot.get(node)?.stringValue, try snapshot.get(upload) == .string(author),
                    let uid = UserID(author), try !snapshot.exists(PeopleNodes.person(uid) / "full_name"),
                    try !snapshot.exists(PersonDeletion.task(of: uid))
                else { return nil }
                return "the person \(uid) does not exist or has no name"
            },
        ]
    }

    private static let besidePosts: [TreeInvariant] =
        [
            TreeInvariant(.postTwice, at: AudienceNodes.post.pattern) { node, snapshot throws(TreeError) in
                try snapshot.exists(PostNodes.post() / node.keys[1]) ? "the post is also at posts/" : nil
            }
        ] + withoutPost(.likesWithoutPost, at: ReactionNodes.like.pattern.parent)
        + withoutPost(.commentsWithoutPost, at: ReactionNodes.comment.pattern.parent)

    /// The invariants for likes and comments without a post: those of a deleted post are removed; those of a lost post
    /// are kept, and reported.
    private static func withoutPost(_ kind: FindingKind, at place: TreePattern) -> [TreeInvariant] {
        [
            dangling(place.path) { node, snapshot throws(TreeError) in
                guard try lacksPost(node, snapshot) else { return true }
                return try !wasDeleted(node.keys[1], snapshot)
            },
            TreeInvariant(kind, at: place) { node, snapshot throws(TreeError) in
                guard try lacksPost(node, snapshot), try !wasDeleted(node.keys[1], snapshot) else { return nil }
                return "the post does not exist"
            },
        ]
    }

    /// Whether the tree has a record that the post of a key was deleted.
    private static func wasDeleted(_ key: TreeKey, _ snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        if try snapshot.exists(FileNodes.deleted() / key) { return true }
        return try snapshot.get(UploadNodes.upload() / key / "state") == .string(UploadState.deleted.rawValue)
    }

    /// Whether the post of a key does not exist, and no follow-up task is pending that could remove its remains.
    private static func lacksPost(_ node: TreePath, _ snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        let key = node.keys[1]
        return try !snapshot.hasAny(of: [PostNodes.post() / key, AudienceNodes.post() / key, WorkNodes.followUpTask()])
    }

    // MARK: Lists of posts

    private static let lists: [TreeInvariant] = [
        TreeInvariant(.postUnlisted, at: PostNodes.post.pattern) { node, snapshot throws(TreeError) in
            // A post without a position gets that of the next commit.
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
            // A pending follow-up task may be the deletion of the entry.
            try snapshot.hasAny(of: [PostNodes.post() / node.keys[2], WorkNodes.followUpTask()])
        },
        dangling(ReactionNodes.commented.path) { node, snapshot throws(TreeError) in
            let author = try snapshot.get(ReactionNodes.comment(node.keys[2], node.keys[3]) / "author" / "uid")
            return author == .string(node.keys[1].string)
        },
    ]

    /// Whether the post of a row of the order of publication has that position.
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

    /// Creates the invariant of a list whose entries need a cause: an entry without one is removed.
    static func dangling(
        _ path: TreePath, _ hasCause: @escaping @Sendable (TreePath, TreeSnapshot) throws(TreeError) -> Bool
    ) -> TreeInvariant {
        TreeInvariant(.entryDangling, at: TreePattern(path)) { node, snapshot throws(TreeError) in
            try hasCause(node, snapshot) ? [] : [TreeWrite(path: node, value: nil)]
        }
    }

    private static func id(at node: TreePath) -> PostID? { node.lastKey.flatMap { PostID($0.string) } }
}
