import API
import Posts
import Social
import Store
import Tree
import Uploads

extension TreeRule {
    /// All rules: what the pipeline relies on, the index of photos, posts, lists, what follows from people's doings, and how much
    /// room files take up.
    package static let all =
        pipeline + PhotoIndex.rules + posts + lists + RepairStage.all.map { TreeRule($0) } + UsageRules.all

    // MARK: The pipeline's own records

    private static let pipeline: [TreeRule] = [
        TreeRule(.uploadUnreadable, at: TreePattern(Paths.uploads / "*")) { node, snapshot throws(TreeError) in
            guard let id = id(at: node), try snapshot.upload(id) != nil else {
                return "the record of this upload cannot be read"
            }
            return nil
        },
        TreeRule(.uploadNotQueued, at: TreePattern(Paths.uploads / "*" / "state")) { node, snapshot throws(TreeError) in
            let key = node.keys[1]
            let state = try snapshot.get(node)?.stringValue.flatMap(UploadState.init)
            guard state?.isTerminal == false, try !snapshot.exists(Paths.queue / key), let id = PostID(key.string),
                let record = try snapshot.upload(id)
            else { return [] }
            return [TreeWrite(path: Paths.queue / key, value: QueueEntry(record).value)]
        },
        dangling(Paths.queue / "*") { node, snapshot throws(TreeError) in
            try snapshot.exists(Paths.uploads / node.keys[1])
        },
        dangling(TreePath(["upload_refs", "*", "*"], in: .pipeline)) { node, snapshot throws(TreeError) in
            guard let id = try snapshot.get(node)?.stringValue.flatMap({ PostID($0) }) else { return false }
            return try snapshot.exists(Paths.upload(id))
        },
        dangling(Paths.endedUploads / "*") { node, snapshot throws(TreeError) in
            try snapshot.exists(Paths.uploads / node.keys[1])
        },
        dangling(TreePath(["prepared", "*", "*"], in: .pipeline)) { node, snapshot throws(TreeError) in
            try snapshot.exists(Paths.generations / node.keys[2] / node.keys[1] / "after")
        },
        dangling(Paths.attempts / "*" / "*") { node, snapshot throws(TreeError) in
            guard let entry = try snapshot.get(node / "garbage")?.stringValue.flatMap({ try? TreeKey($0) }) else {
                return false
            }
            return try snapshot.exists(Paths.garbage / entry)
        },
        dangling(Paths.generations / "*") { node, snapshot throws(TreeError) in
            try snapshot.exists(Paths.batchJobs / node.keys[1])
        },
        TreeRule(.linkHalf, at: TreePattern(Paths.objectPosts / "*")) { node, snapshot throws(TreeError) in
            guard let upload = try snapshot.get(node)?.stringValue.flatMap({ PostID($0) }) else {
                return [TreeWrite(path: node, value: nil)]
            }
            return [TreeWrite(path: Paths.postsOfObject(upload) / node.keys[1], value: true)]
        },
        TreeRule(.linkHalf, at: TreePattern(TreePath(["posts_of_objects", "*", "*"], in: .pipeline))) {
            node, snapshot throws(TreeError) in
            let linked = try PostID(node.keys[2].string).flatMap { id throws(TreeError) in
                try snapshot.linkedUpload(ofPost: id)
            }
            return linked?.key == node.keys[1] ? [] : [TreeWrite(path: node, value: nil)]
        },
        TreeRule(.objectUnreadable, at: ObjectKey.pattern) { node, snapshot throws(TreeError) in
            guard let name = ObjectKey.name(at: node), let value = try snapshot.get(node) else {
                return "the name of this object cannot be read"
            }
            return (try? StoredObject(name, value)) == nil ? "the record of \(name) cannot be read".printable : nil
        },
        TreeRule(.objectUnlisted, at: ObjectKey.pattern) { node, snapshot throws(TreeError) in
            guard let name = ObjectKey.name(at: node), let value = try snapshot.get(node),
                let object = try? StoredObject(name, value)
            else { return [] }
            let file = ObjectFile(folder: object.blob.userID, name: name)
            return [TreeWrite(path: Paths.objectFile(object.blob), value: file.value)]
        },
    ]

    // MARK: Posts

    private static let posts = rules(of: Paths.posts) + rules(of: Paths.audiencePosts) + besidePosts

    private static func rules(of list: TreePath) -> [TreeRule] {
        [
            TreeRule(.postUnreadable, at: TreePattern(list / "*")) { node, snapshot throws(TreeError) in
                guard let post = try snapshot.get(node), PostPhotos.read(post) == nil else { return nil }
                return "what the post says of its photos cannot be read"
            },
            TreeRule(.uploadMissing, at: TreePattern(list / "*" / "photos")) { node, snapshot throws(TreeError) in
                guard let id = PostID(node.keys[1].string), try snapshot.upload(behindPost: id) == nil,
                    let photos = try snapshot.get(node), !photos.fileNames.isEmpty
                else { return nil }
                return "the post shows photos of ours, and the record of its upload is gone"
            },
            TreeRule(.authorMissing, at: TreePattern(list / "*" / "author" / "uid")) {
                node, snapshot throws(TreeError) in
                // What clients of the database post, they may post for whom they like.
                let upload = Paths.uploads / node.keys[1] / "owner"
                guard let author = try snapshot.get(node)?.stringValue, try snapshot.get(upload) == .string(author),
                    let uid = UserID(author), try !snapshot.exists(Paths.person(uid) / "full_name"),
                    try !snapshot.exists(PersonDeletion.job(of: uid))
                else { return nil }
                return "there is no person \(uid) with a name"
            },
        ]
    }

    private static let besidePosts: [TreeRule] =
        [
            TreeRule(.postTwice, at: TreePattern(Paths.audiencePosts / "*")) { node, snapshot throws(TreeError) in
                try snapshot.exists(Paths.posts / node.keys[1]) ? "the post stands at posts/, too" : nil
            }
        ] + withoutPost(.likesWithoutPost, at: "likes/*") + withoutPost(.commentsWithoutPost, at: "comments/*")

    /// The rules for what people have made of posts: what came when a post had been deleted goes; where a post was lost, it stays for
    /// a person.
    private static func withoutPost(_ kind: FindingKind, at place: TreePath) -> [TreeRule] {
        [
            dangling(place) { node, snapshot throws(TreeError) in
                guard try lacksPost(node, snapshot) else { return true }
                return try !wasDeleted(node.keys[1], snapshot)
            },
            TreeRule(kind, at: TreePattern(place)) { node, snapshot throws(TreeError) in
                guard try lacksPost(node, snapshot), try !wasDeleted(node.keys[1], snapshot) else { return nil }
                return "there is no such post"
            },
        ]
    }

    /// Whether it is known that somebody has deleted the post of a key.
    private static func wasDeleted(_ key: TreeKey, _ snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        if try snapshot.exists(Paths.deleted / key) { return true }
        return try snapshot.get(Paths.uploads / key / "state") == .string(UploadState.deleted.rawValue)
    }

    /// Whether there is no post of the key, and nothing that is about to remove what is left of it.
    private static func lacksPost(_ node: TreePath, _ snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        let key = node.keys[1]
        return try !snapshot.hasAny(of: [Paths.posts / key, Paths.audiencePosts / key, Paths.jobs])
    }

    // MARK: Lists of posts

    private static let lists: [TreeRule] = [
        TreeRule(.postUnlisted, at: TreePattern(Paths.posts / "*")) { node, snapshot throws(TreeError) in
            // One that has no position gets that of the next commit.
            try PostOrder.writes(
                for: node.keys[1], isThere: true, at: PostPosition(sequence: try snapshot.token.sequence + 1),
                isOfEarlierVersion: true, in: snapshot)
        },
        dangling(Paths.postPositions / "*") { node, snapshot throws(TreeError) in
            try snapshot.exists(Paths.posts / node.keys[1])
        },
        dangling(Paths.publishedPosts / "*", isListed),
        dangling(TreePath(["published", "*", "*"], in: .social), isListed),
        dangling(TreePath(["tagged", "*", "*"], in: .social), isListed),
        dangling("people/*/posts/*") { node, snapshot throws(TreeError) in
            let author = try snapshot.get(Paths.posts / node.keys[3] / "author" / "uid")
            return author == .string(node.keys[1].string)
        },
        dangling("feed/*/*") { node, snapshot throws(TreeError) in
            // While there is work left behind commits, that of a deletion may be among it.
            try snapshot.hasAny(of: [Paths.posts / node.keys[2], Paths.jobs])
        },
        dangling(TreePath(["commented", "*", "*", "*"], in: .social)) { node, snapshot throws(TreeError) in
            let author = try snapshot.get("comments" / node.keys[2] / node.keys[3] / "author" / "uid")
            return author == .string(node.keys[1].string)
        },
    ]

    /// Whether the post of a row of the order of publication stands at that position.
    private static let isListed: @Sendable (TreePath, TreeSnapshot) throws(TreeError) -> Bool = {
        node, snapshot throws(TreeError) in
        guard let key = node.keys.last, let value = try snapshot.get(node),
            let row = ListedPost(TreeChild(key: key, value: value)),
            let place = try PostPlace(of: row.id, in: snapshot), place.position == row.position
        else { return false }
        switch node.keys[0] {
        case "published": return place.author?.key == node.keys[1]
        case "tagged": return place.lists(tag: node.keys[1])
        default: return true
        }
    }

    // MARK: -

    /// A list of which each entry has something behind it.
    static func dangling(
        _ path: TreePath, _ hasCause: @escaping @Sendable (TreePath, TreeSnapshot) throws(TreeError) -> Bool
    ) -> TreeRule {
        TreeRule(.entryDangling, at: TreePattern(path)) { node, snapshot throws(TreeError) in
            try hasCause(node, snapshot) ? [] : [TreeWrite(path: node, value: nil)]
        }
    }

    private static func id(at node: TreePath) -> PostID? { node.lastKey.flatMap { PostID($0.string) } }
}
