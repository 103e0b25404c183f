import API
package import Model
import Store
package import Tree
package import TreeModel

/// The renditions that one run of re-thumbnailing made, with what is needed to show them at once, or those of before again.
///
/// At `generations/{job}/{post}` of the pipeline's own tree, for each post: `after`, the photos with renditions that are made and
/// not shown yet; or `before`, the photos as they were until they were shown, with `garbage`, the entry of the garbage list
/// that has their files since; or `done`, for one that shows what it shows for good. What is made is shown by nothing but the
/// switch, and is no garbage until then: `prepared/{post}/{job}` finds it.
///
/// So a run that looks at a post for the second time, after it was cut off, knows what it has done with it.
package struct RethumbRun: Sendable {
    /// The job that makes it.
    package let id: PushID
    /// Whether posts are switched when all are rendered; else each is, once its renditions are made.
    package let switchesLast: Bool

    package init(id: PushID, switchesLast: Bool) { (self.id, self.switchesLast) = (id, switchesLast) }

    /// What is kept of a post.
    package enum Entry: Sendable {
        case after(TreeValue)
        case before(TreeValue, garbage: TreeKey?)
        /// Switched, or taken back, for good.
        case done

        init?(_ value: TreeValue?) {
            if let photos = value?["after"] {
                self = .after(photos)
            } else if let photos = value?["before"] {
                self = .before(photos, garbage: value?["garbage"]?.stringValue.flatMap { try? TreeKey($0) })
            } else if value?["done"] == true {
                self = .done
            } else {
                return nil
            }
        }
    }

    /// Notes that a post showed these photos before, in the update that switches it.
    ///
    /// - Parameter garbage: The entry of the garbage list that has the files which are not shown any more.
    package func noteSwitch(
        of post: PostID, from photos: TreeValue?, garbage: TreePath?, in update: inout MultiPathUpdate
    ) {
        var entry: [TreeKey: TreeValue] = [:]
        (entry["before"], entry["garbage"]) = (photos, garbage?.lastKey.map { .string($0.string) })
        update[WorkNodes.rethumbRun(id) / post.key] = photos.map { _ in .object(entry) }
        update[WorkNodes.prepared(post) / id.key] = nil
    }

    /// Notes that a post is done with for good, in the update that changes it.
    package func noteEnd(of post: PostID, in update: inout MultiPathUpdate) {
        update[WorkNodes.rethumbRun(id) / post.key] = ["done": true]
        update[WorkNodes.prepared(post) / id.key] = nil
    }

    /// Keeps renditions that are made, in the update that takes them off the list of garbage.
    package func keep(_ photos: TreeValue, of post: PostID, in update: inout MultiPathUpdate) {
        update[WorkNodes.rethumbRun(id) / post.key] = .object(["after": photos])
        update[WorkNodes.prepared(post) / id.key] = true
    }

    /// Forgets a post.
    package func forget(_ post: PostID, in update: inout MultiPathUpdate) {
        update[WorkNodes.rethumbRun(id) / post.key] = nil
        update[WorkNodes.prepared(post) / id.key] = nil
    }

    package func entry(of post: PostID, in tree: TreeStore) async throws -> Entry? {
        Entry(try await tree.get(WorkNodes.rethumbRun(id) / post.key))
    }
}

extension RethumbRun {
    /// The files that runs have made for a post and that are not shown yet.
    package static func preparedFiles(of post: PostID, in snapshot: TreeSnapshot) throws(TreeError) -> Set<String> {
        var names: Set<String> = []
        for job in try snapshot.children(of: WorkNodes.prepared(post), range: .all, limit: 100) {
            let entry = RethumbRun.Entry(try snapshot.get(WorkNodes.rethumbRun() / job.key / post.key))
            guard case .after(let photos)? = entry else { continue }
            names.formUnion(photos.fileNames)
        }
        return names
    }
}

extension TreeValue {
    /// The names of all renditions of photos that are written so; none for what cannot be read.
    package var fileNames: Set<String> {
        let photos = PostPhotos.read(.object(["photos": self])) ?? []
        return Set(photos.flatMap { $0.renditions.values.map(\.fileName) })
    }
}
