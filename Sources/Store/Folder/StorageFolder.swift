package import API
package import Files
package import Metering
package import Model
import Synchronization
package import Tree

/// An open and locked Storage folder: all data of the service, in one folder that can be copied as a whole.
///
///     lock              held by the process that uses the folder
///     tree.sqlite       the tree: posts, people, feeds, and the pipeline's own records
///     tree.mark         the last change of the tree's change log
///     tree.reserve      space for deletions when the disk is full
///     blobs/            user_id/post_id/file_name, immutable; .store.json: the id and the age of the store
///     incoming/         files in transit: *.part until whole, *.partial between requests, {id}/ for a claim
///     forgiven/         photos that broke their decoder and will be decoded again, by their SHA-256
///     inbox/{uid}/      the inbox in which people drop photos
///     done/{uid}/       files that became a post or were duplicates, each with a receipt
///     failed/{reason}/{uid}/   files that can never become a post, each with a document that gives the reason
///     backup.json       the last backup that was completed
///     damaged/          damaged rows of the tree that an operator has replaced
///     issuer-keys/      the last valid keys of other issuers of tokens
///     tintype.sock      the local socket
package final class StorageFolder: Sendable {
    /// The folder's path, as the operator specified it.
    package let path: String
    package let engine: TreeEngine
    package let tree: TreeStore
    package let blobs: any BlobStore
    package let incoming: Directory
    package let inbox: Directory
    package let done: Directory
    package let failed: Directory
    /// The generator of all ids: of uploads, which become posts, and of push ids.
    package let ids: PushIDGenerator
    /// Returns the present time.
    package let clock: @Sendable () -> Timestamp
    /// The check that the tree and the blobs belong together.
    package let age: StorageAge
    /// The address of the service for apps, with which addresses in posts begin; nil for addresses without a host.
    package let publicBase: PublicBase?
    /// The metrics of the process, including those of the tree.
    package let metrics = MetricsRegistry()
    private let lock: FolderLock
    package let root: Directory
    /// The upgrade of a store of an earlier version; nil if the tree is in memory.
    private let upgrading: StoreUpgrade?
    /// The pause of sweeps, during which no unreferenced file is deleted.
    package let sweeps = SweepPause()
    /// The number of times since the start that a file was put aside in `failed/`, put back, or deleted there.
    private let putAsideChanges = Atomic(0)
    /// The files and folders that must neither disappear nor be replaced while the service runs, by name.
    private let essentials: [String: Directory.Identity]

    /// The engine of the tree.
    package enum TreeEngine: String, Sendable {
        /// `tree.sqlite`.
        case sqlite
        /// Memory only: the tree is lost when the service ends.
        case memory
    }

    /// Opens the folder, creates what is missing, and takes the lock.
    ///
    /// - Parameters:
    ///   - blobs: The store of the files of posts; nil for the folder `blobs/`.
    ///   - retention: The time for which changes are kept in the change log.
    ///   - publicBase: The address of the service for apps; nil for addresses without a host.
    ///   - derivations: The derivations of the tree; see `TreeStore`.
    ///   - constraints: The constraints of the tree.
    ///   - clock: Returns the present time.
    /// - Throws: `FileError` (`storage_locked` if another process uses the folder; `exists` if the tree should be in
    ///   memory but there is one on disk; otherwise the error of the folder concerned) or `TreeError`. Nothing is bound
    ///   or changed until all of it has succeeded.
    package init(
        path: String, engine: TreeEngine = .sqlite, blobs: (any BlobStore)? = nil,
        retention: ChangeRetention = ChangeRetention(), publicBase: PublicBase?, derivations: [[any Derivation]],
        constraints: [any Constraint], clock: @escaping @Sendable () -> Timestamp
    ) async throws {
        self.path = path
        self.clock = clock
        self.engine = engine
        self.publicBase = publicBase
        root = try Directory(path: path, create: true)
        lock = try await FolderLock.waiting(in: root)
        try UnfinishedRestore.refuse(in: root)
        let reserve = engine == .sqlite ? RoomReserve(path: "\(path)/tree.reserve") : nil
        reserve?.makeRoomForStart(free: try FileSystemSpace(around: root).freeBytes)
        upgrading = engine == .sqlite ? try await StoreUpgrade(in: root, now: clock()) : nil
        if engine == .sqlite { try Self.refuseWithoutTree(in: root) }
        incoming = try root.folder("incoming", create: true)
        try Self.removeParts(in: incoming)
        inbox = try root.folder("inbox", create: true)
        done = try root.folder("done", create: true)
        failed = try root.folder("failed", create: true)
        self.blobs = try blobs ?? Self.localBlobs(in: root, staging: incoming)
        for folder in [incoming, done, failed] { try FolderProbe(in: folder).removeLeftovers() }
        let database = try Self.open(engine, in: root)
        let mark = engine == .sqlite ? try CommitMark(path: "\(path)/\(Self.markName)") : nil
        tree = try await TreeStore(
            engine: database, retention: retention, mark: mark, reserve: reserve,
            derivations: derivations, constraints: constraints, metrics: metrics)
        if tree.health.damage == nil { try? await upgrading?.begin(tree) }
        var essentials: [String: Directory.Identity] = [:]
        for name in [".", Self.treeName] + (blobs == nil ? ["blobs"] : []) {
            essentials[name] = try root.entry(name)?.identity
        }
        self.essentials = essentials
        ids = PushIDGenerator(after: await StorageAge.lastID(in: tree), clock: clock)
        age = try await StorageAge(
            of: tree, beside: self.blobs, ids: ids, isKept: engine == .sqlite, lastChange: mark?.lastChange)
    }

    /// Records that all data have this version's format; see ``StoreUpgrade``.
    package func finishUpgrade() async throws { try await upgrading?.finish(tree) }

    /// The state of the upgrade of the store.
    package var upgrade: UpgradeDocument { upgrading?.document ?? .current }

    /// Confirms the upgrade of the store.
    ///
    /// - Throws: `Failure` `wrong_state` if the upgrade is not complete, or there is nothing to confirm.
    package func confirmUpgrade() throws {
        guard let upgrading else { throw Failure(.wrongState, "there is nothing to confirm") }
        try upgrading.confirm()
    }

    /// The size of the tree's files, in bytes; nil if the tree is in memory.
    package func treeByteCount() async -> Int? {
        await FileThreads.run { [root] in
            let sizes = ["", "-wal", "-shm"].compactMap { try? root.entry(Self.treeName + $0)?.byteCount }
            return sizes.isEmpty ? nil : sizes.reduce(0, +)
        }
    }

    /// The number of times since the start that a file was put aside in `failed/`, put back, or deleted there.
    package var putAsideCount: Int { putAsideChanges.load(ordering: .relaxed) }

    /// Counts a file that is put aside in `failed/`, put back, or deleted there.
    package func countPutAside() { putAsideChanges.add(1, ordering: .relaxed) }

    private static let treeName = "tree.sqlite"
    private static let markName = "tree.mark"

    /// Refuses a store whose database is missing, before a new one is created.
    private static func refuseWithoutTree(in root: Directory) throws {
        guard try root.entry(treeName) == nil, try root.entry(markName) != nil,
            try CommitMark(path: "\(root.path)/\(markName)").lastChange != .start
        else { return }
        throw FileError(
            .notFound, "\(root.path)/\(treeName), the database of the store, is missing",
            hint: "Put it back, or restore the store from a backup.")
    }

    private static func localBlobs(in root: Directory, staging: Directory) throws(FileError) -> LocalBlobStore {
        _ = try root.folder("blobs", create: true)
        return try LocalBlobStore(path: "\(root.path)/blobs", staging: staging)
    }

    private static func open(_ engine: TreeEngine, in root: Directory) throws -> any Engine {
        let name = treeName
        guard engine == .memory else { return try SQLiteEngine(path: "\(root.path)/\(name)") }
        // Uploads of the one tree must never be published or deleted by the other.
        guard try !root.entries().contains(where: { $0.name == name }) else {
            throw FileError(
                .exists,
                "\(root.path) holds a tree on disk, \(name): a tree in memory would mistake its files for its own",
                hint: "Choose another folder, or none for a temporary one.")
        }
        return MemoryEngine()
    }

    /// Checks that the files and folders are those that were opened. If a folder of transient files or the lock was
    /// deleted, replaced or covered by a mount, it is created again, or the one that is there now is used.
    ///
    /// - Returns: The names of those that were created or replaced.
    /// - Throws: `IntakePause` if the folder itself, the blobs or the tree is not the one that was opened: data written
    ///   to it could not be found again. `FileError` for an error of the system.
    func lookAfterFolders() throws -> [String] {
        let place = try? Directory(path: path).entry(".")?.identity
        guard place == essentials["."] else { throw Self.lost("the Storage folder") }
        for (name, identity) in essentials where name != "." {
            guard try root.entry(name)?.identity == identity else { throw Self.lost(name) }
        }
        let folders = [("incoming", incoming), ("inbox", inbox), ("done", done), ("failed", failed)]
        var renewed = try folders.filter { try $0.1.renew(as: $0.0, in: root) }.map { $0.0 + "/" }
        if try lock.renew() { renewed.append("lock") }
        return renewed
    }

    private static func lost(_ what: String) -> IntakePause {
        IntakePause(
            code: .storageMissing, message: "\(what) was removed, moved away or replaced while the service ran",
            hint: "Put it back as it was, or stop the service and start it again with what is there.")
    }

    /// Closes the tree and releases the lock; the folder must not be used afterwards.
    package func close() async {
        try? await age.tick()
        await tree.close()
        lock.release()
    }

    /// Deletes incomplete files of the last run, whose receipt was not acknowledged.
    private static func removeParts(in incoming: Directory) throws(FileError) {
        for entry in try incoming.entries() where entry.kind == .file && entry.name.hasSuffix(".part") {
            try incoming.remove(entry.name)
        }
    }

    /// The path of the local socket.
    package static func socketPath(in path: String) -> String { "\(path)/tintype.sock" }

    /// The reason why nothing may be cleaned up at present; nil if there is none.
    package var hold: Failure? { fault ?? upgrading?.hold }

    /// The fault of the store: damage of the tree or of one of its rows, or different ages of the tree and the blobs;
    /// nil if there is none.
    package var fault: Failure? { tree.health.finding.map { Failure($0) } ?? age.mismatch }
}
