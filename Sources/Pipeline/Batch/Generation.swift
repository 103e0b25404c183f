import API
import Blobs
import Posts
import Tree
import TreeModel

/// The renditions that one run of re-thumbnailing made, with what is needed to show them at once, or those of before again.
///
/// At `generations/{job}/{post}` of the pipeline's own tree, for each post: `after`, the photos with renditions that are made and
/// not shown yet; or `before`, the photos as they were until they were shown. What is made is shown by nothing but the
/// switch, and is no garbage until then: `prepared/{post}/{job}` finds it.
struct Generation: Sendable {
    /// The job that makes it.
    let id: PushID
    /// Whether posts are switched when all are rendered; else each is, once its renditions are made.
    let switchesLast: Bool

    /// What is kept of a post.
    enum Entry: Sendable {
        case after(TreeValue)
        case before(TreeValue)

        init?(_ value: TreeValue?) {
            if let photos = value?["after"] {
                self = .after(photos)
            } else if let photos = value?["before"] {
                self = .before(photos)
            } else {
                return nil
            }
        }
    }

    /// Notes that a post showed these photos before, in the update that switches it.
    func noteSwitch(of post: PostID, from photos: TreeValue?, in update: inout MultiPathUpdate) {
        update[Paths.generation(id) / post.key] = photos.map { .object(["before": $0]) }
        update[Paths.prepared(post) / id.key] = nil
    }

    /// Keeps renditions that are made, in the update that takes them off the list of garbage.
    func keep(_ photos: TreeValue, of post: PostID, in update: inout MultiPathUpdate) {
        update[Paths.generation(id) / post.key] = .object(["after": photos])
        update[Paths.prepared(post) / id.key] = true
    }

    /// Forgets a post.
    func forget(_ post: PostID, in update: inout MultiPathUpdate) {
        update[Paths.generation(id) / post.key] = nil
        update[Paths.prepared(post) / id.key] = nil
    }

    /// The posts of the generation.
    func postIDs(in tree: TreeStore) async throws -> [PostID] {
        try await tree.keys(of: Paths.generation(id)).compactMap { PostID($0.string) }
    }

    func entry(of post: PostID, in tree: TreeStore) async throws -> Entry? {
        Entry(try await tree.get(Paths.generation(id) / post.key))
    }
}

extension TreeSnapshot {
    /// Whether renditions of a post are made and not shown yet, and this file is one of them.
    func isPrepared(_ fileName: String, of post: PostID) throws(TreeError) -> Bool {
        for job in try children(of: Paths.prepared(post), range: .all, limit: 100) {
            guard case .after(let photos)? = Generation.Entry(try get(Paths.generations / job.key / post.key)) else {
                continue
            }
            if photos.fileNames.contains(fileName) { return true }
        }
        return false
    }
}

extension TreeValue {
    /// The names of all renditions of photos that are written so; none for what cannot be read.
    var fileNames: Set<String> {
        let photos = PostPhotos.read(.object(["photos": self])) ?? []
        return Set(photos.flatMap { $0.renditions.values.map(\.fileName) })
    }
}
