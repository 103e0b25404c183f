package import Blobs
package import Tree

/// A Storage folder, opened and locked: everything the service keeps, in one place that can be copied as a whole.
///
///     lock              held by the process that works here
///     tree.sqlite       the tree: posts, people, feeds, and the pipeline's own records
///     blobs/            user_id/post_id/file_name, immutable
///     incoming/         what is on its way: *.part until it is whole, {id}/ while an inbox file is taken
///     inbox/{uid}/      people drop photos here
///     done/{uid}/       what became a post, or had been one before, with a receipt
///     failed/{reason}/{uid}/   what never can, with a document that says why
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

    /// What keeps the tree.
    package enum Engine: String, Sendable {
        /// `tree.sqlite`.
        case sqlite
        /// Nothing but memory: the tree is gone when the service ends.
        case memory
    }

    /// Opens the folder, making what is missing, and takes its lock; `retention` says how long changes can be asked for.
    ///
    /// - Throws: `BlobError` (`storage_locked` when another process works here; the folder that is in the way otherwise;
    ///   `exists` when a tree is to be kept in memory beside one that is on disk) or `TreeError`. Nothing is bound or
    ///   changed before all of it succeeded.
    package init(
        path: String, engine: Engine = .sqlite, retention: ChangeRetention = ChangeRetention()
    ) async throws {
        self.path = path
        let root = try Directory(path: path, create: true)
        lock = try StorageLock(in: root)
        incoming = try root.folder("incoming", create: true)
        try Self.removeParts(in: incoming)
        inbox = try root.folder("inbox", create: true)
        done = try root.folder("done", create: true)
        failed = try root.folder("failed", create: true)
        _ = try root.folder("blobs", create: true)
        blobs = try LocalBlobStore(path: "\(path)/blobs", staging: incoming)
        for folder in [incoming, done, failed] { try folder.removeProbe() }
        try blobs.removeProbe()
        tree = try await TreeStore(engine: Self.open(engine, in: root), retention: retention)
    }

    private static func open(_ engine: Engine, in root: Directory) throws -> any Tree.Engine {
        let name = "tree.sqlite"
        guard engine == .memory else { return try SQLiteEngine(path: "\(root.path)/\(name)") }
        // What arrived for the one tree is never to be published, or swept away, by the other.
        guard try !root.entries().contains(where: { $0.name == name }) else {
            throw BlobError(
                .exists,
                "\(root.path) holds a tree on disk, \(name): a tree in memory would mistake its files for its own",
                hint: "choose another folder, or none for a temporary one")
        }
        return MemoryEngine()
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
