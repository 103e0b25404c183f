package import Blobs
package import Tree

/// A Storage folder, opened and locked: everything the service keeps, in one place that can be copied as a whole.
///
///     lock              held by the process that works here
///     tree.sqlite       the tree: posts, people, feeds, and the pipeline's own records
///     blobs/            user_id/post_id/file_name, immutable
///     incoming/         what is on its way: {id}.{n}.part while it is received, {id}/ while an inbox file is taken
///     inbox/{uid}/      people drop photos here
///     done/{uid}/       what became a post, with a receipt
///     failed/{uid}/     what never can, with a reason
///     tintype.sock      the local socket
package final class Storage: Sendable {
    /// The folder's path, as the operator gave it.
    package let path: String
    package let tree: TreeStore
    package let blobs: LocalBlobStore
    package let incoming: Directory
    package let inbox: Directory
    package let done: Directory
    package let failed: Directory
    private let lock: StorageLock

    /// Opens the folder, making what is missing, and takes its lock.
    ///
    /// - Throws: `BlobError` (`storage_locked` when another process works here; the folder that is in the way otherwise)
    ///   or `TreeError`. Nothing is bound or changed before all of it succeeded.
    package init(path: String) async throws {
        self.path = path
        let root = try Directory(path: path, create: true)
        lock = try StorageLock(in: root)
        incoming = try root.folder("incoming", create: true)
        try Self.removeParts(in: incoming)
        inbox = try root.folder("inbox", create: true)
        done = try root.folder("done", create: true)
        failed = try root.folder("failed", create: true)
        _ = try root.folder("blobs", create: true)
        blobs = try LocalBlobStore(path: "\(path)/blobs")
        tree = try await TreeStore(engine: SQLiteEngine(path: "\(path)/tree.sqlite"))
    }

    /// Closes the tree and gives the folder back; nothing may use it afterwards.
    package func close() async {
        await tree.close()
        lock.release()
    }

    /// Deletes what was being received when the last run ended: nobody was told that it is safe.
    private static func removeParts(in incoming: Directory) throws(BlobError) {
        for entry in try incoming.entries() where entry.kind == .file && entry.name.hasSuffix(".part") {
            try incoming.remove(entry.name)
        }
    }

    /// Where the local socket is.
    package static func socketPath(in path: String) -> String { "\(path)/tintype.sock" }
}
