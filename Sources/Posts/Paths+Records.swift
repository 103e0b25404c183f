package import Tree

extension Namespace {
    /// The pipeline's own records: a tree beside that of the clients, in the same engine, so that an upload's end and its
    /// post are one update, and no client can reach what the pipeline relies on.
    package static let pipeline = Namespace(reserved: "pipeline")
}

extension Paths {
    package static let uploads = TreePath(["uploads"], in: .pipeline)

    package static func upload(_ id: PostID) -> TreePath { uploads / id.key }

    /// A photo in the record of an upload, by the number under which it came.
    package static func photo(_ number: Int, of id: PostID) -> TreePath {
        upload(id) / "photos" / TreeKey(unchecked: String(number))
    }

    /// Uploads that still have work to do, each with a `QueueEntry`: all that a start has to look at.
    package static let queue = TreePath(["upload_queue"], in: .pipeline)

    package static func queued(_ id: PostID) -> TreePath { queue / id.key }

    /// The upload behind a client's own reference.
    package static func reference(_ uid: UserID, _ reference: TreeKey) -> TreePath {
        TreePath(["upload_refs", uid.key, reference], in: .pipeline)
    }

    /// The posts in which users showed photos, by their bytes (``PhotoIndex``).
    package static let photoHashes = TreePath(["contents"], in: .pipeline)

    /// The post in which a user showed photos with these bytes.
    package static func photoHash(_ uid: UserID, _ hash: TreeKey) -> TreePath { photoHashes / uid.key / hash }

    /// Photos that broke their decoder, by the SHA-256 of their bytes, each with the failure.
    package static let poison = TreePath(["poison"], in: .pipeline)

    /// Uploads that ended without a post, each with when it did: their records go after a while.
    package static let endedUploads = TreePath(["ended"], in: .pipeline)

    package static func endedUpload(_ id: PostID) -> TreePath { endedUploads / id.key }
    /// Blobs that nothing refers to any more, and when they may go.
    package static let garbage = TreePath(["garbage"], in: .pipeline)

    /// Posts that were deleted, and avatars that were replaced, each with when it was, in milliseconds since the epoch: written
    /// with the deletion itself, whoever makes it (`Tombstones`, `ReplacedAvatars`). Only files of these are ever swept.
    package static let deleted = TreePath(["deleted"], in: .pipeline)

    package static func deleted(_ id: PostID) -> TreePath { deleted / id.key }

    /// The records of the bucket's objects (``ObjectKey``).
    package static let objects = TreePath(["objects"], in: .pipeline)

    /// Whose the bytes of objects in the blob store are, by their ids (``ObjectFile``): from before they are there until they
    /// are gone.
    package static let objectFiles = TreePath(["object_files"], in: .pipeline)

    /// The sizes of these bytes, by the same ids, for as long as they are there.
    package static let objectSizes = TreePath(["object_sizes"], in: .pipeline)

    /// The jobs over posts that are under way, and the last that have ended (``BatchJob``).
    package static let batchJobs = TreePath(["batch_jobs"], in: .pipeline)

    package static func batchJob(_ id: PushID) -> TreePath { batchJobs / id.key }

    /// The posts that somebody has listed for a job: the ids, each `true`.
    package static func postList(_ job: PushID) -> TreePath { postLists / job.key }

    package static let postLists = TreePath(["post_lists"], in: .pipeline)

    /// What runs of re-thumbnailing have made, and what was there before (``Generation``).
    package static let generations = TreePath(["generations"], in: .pipeline)

    package static func generation(_ job: PushID) -> TreePath { generations / job.key }

    /// The runs that have made renditions of a post which are not shown yet.
    package static let prepared = TreePath(["prepared"], in: .pipeline)

    package static func prepared(_ post: PostID) -> TreePath { prepared / post.key }

    /// The store's id, and how old it is (`StorageAge`).
    package static let store = TreePath(["store"], in: .pipeline)

    /// The version of the order of publication that all posts are in (`OrderMigration`). Versions that do not keep the order replace
    /// the record above as a whole, and so take this along.
    package static let postsAreOrdered = store / "posts_ordered"

    /// By which version of the social derivations all data have been gone through (`SocialRepair`); goes like the above.
    package static let socialVersion = store / "social"

    /// The times at which the files of each upload were read and compared last.
    package static let verifications = TreePath(["verified"], in: .pipeline)

    /// The time of the last reading of an upload's files, in milliseconds since the epoch; 0 where they were damaged.
    package static func verified(_ id: PostID) -> TreePath { verifications / id.key }
}
