import API
package import Model
import Store
package import Tree
package import TreeModel

/// The renditions of one run of re-thumbnailing, with the data to show them at once, or to show the former ones again.
///
/// For each post the tree of the pipeline contains at `generations/{job}/{post}`: `after`, the photos with renditions
/// that are rendered and not shown yet; or `before`, the photos as they were until the switch, with `garbage`, the
/// entry of the garbage list that holds their files since then; or `done`, if the post keeps what it shows. New
/// renditions are shown only by the switch and are not garbage until then: `prepared/{post}/{job}` refers to them.
///
/// A run that was interrupted therefore recognises the posts that it has handled.
package struct RethumbRun: Sendable {
    /// The job of the run.
    package let id: PushID
    /// Whether posts are switched once all are rendered; otherwise each is switched once its renditions are complete.
    package let switchesLast: Bool

    package init(id: PushID, switchesLast: Bool) { (self.id, self.switchesLast) = (id, switchesLast) }

    /// The state of a post in the run.
    package enum Entry: Sendable {
        case after(TreeValue)
        case before(TreeValue, garbage: TreeKey?)
        /// The post has been switched or taken back for good.
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

    /// Records the photos that a post showed before, in the update that switches it.
    ///
    /// - Parameter garbage: The entry of the garbage list with the files that are no longer shown.
    package func noteSwitch(
        of post: PostID, from photos: TreeValue?, garbage: TreePath?, in update: inout MultiPathUpdate
    ) {
        var entry: [TreeKey: TreeValue] = [:]
        (entry["before"], entry["garbage"]) = (photos, garbage?.lastKey.map { .string($0.string) })
        update[WorkNodes.rethumbRun(id) / post.key] = photos.map { _ in .object(entry) }
        update[WorkNodes.prepared(post) / id.key] = nil
    }

    /// Records that a post is finished, in the update that changes it.
    package func noteEnd(of post: PostID, in update: inout MultiPathUpdate) {
        update[WorkNodes.rethumbRun(id) / post.key] = ["done": true]
        update[WorkNodes.prepared(post) / id.key] = nil
    }

    /// Stores new renditions, in the update that removes them from the garbage list.
    package func keep(_ photos: TreeValue, of post: PostID, in update: inout MultiPathUpdate) {
        update[WorkNodes.rethumbRun(id) / post.key] = .object(["after": photos])
        update[WorkNodes.prepared(post) / id.key] = true
    }

    /// Deletes the state of a post.
    package func forget(_ post: PostID, in update: inout MultiPathUpdate) {
        update[WorkNodes.rethumbRun(id) / post.key] = nil
        update[WorkNodes.prepared(post) / id.key] = nil
    }

    package func entry(of post: PostID, in tree: TreeStore) async throws -> Entry? {
        Entry(try await tree.get(WorkNodes.rethumbRun(id) / post.key))
    }
}

extension RethumbRun {
    /// Returns the files that runs have rendered for a post and that are not shown yet.
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
    /// The file names of all renditions in a value that holds photos; empty if it cannot be read.
    package var fileNames: Set<String> {
        let photos = PostPhotos.read(.object(["photos": self])) ?? []
        return Set(photos.flatMap { $0.renditions.values.map(\.fileName) })
    }
}
