package import API
package import Files
package import Metering
package import Model
import Synchronization
package import Tree

/// A Storage folder, opened and locked: everything the service keeps, in one place that can be copied as a whole.
///
///     lock              held by the process that works here
///     tree.sqlite       the tree: posts, people, feeds, and the pipeline's own records
///     tree.mark         how far the tree's change log has come
///     tree.reserve      room that deletions have when the disk is full
///     blobs/            user_id/post_id/file_name, immutable; .store.json: whose they are, and of what age
///     incoming/         what is on its way: *.part until it is whole, *.partial between requests, {id}/ while an inbox file is taken
///     forgiven/         photos that broke their decoder and are to be decoded again, by their SHA-256
///     inbox/{uid}/      people drop photos here
///     done/{uid}/       what became a post, or had been one before, with a receipt
///     failed/{reason}/{uid}/   what never can, with a document that says why
///     damaged/          rows of the tree that could not be read, and were replaced by a person's word
///     issuer-keys/      the last good keys of other issuers of tokens
///     tintype.sock      the local socket
package final class StorageFolder: Sendable {
    /// The folder's path, as the operator gave it.
    package let path: String
    package let engine: TreeEngine
    package let tree: TreeStore
    package let blobs: any BlobStore
    package let incoming: Directory
    package let inbox: Directory
    package let done: Directory
    package let failed: Directory
    /// Makes all ids: of uploads, which become posts, and of what clients of the database push.
    package let ids: PushIDGenerator
    /// The present time.
    package let clock: @Sendable () -> Timestamp
    /// Whether the tree and the blobs are of one age.
    package let age: StorageAge
    /// Where apps reach the service, which is what addresses in posts begin with; nil for addresses without a host.
    package let publicBase: PublicBase?
    /// The metrics of whoever works here; those of the tree are among them.
    package let metrics = MetricsRegistry()
    private let lock: FolderLock
    package let root: Directory
    /// What brings a store of an earlier version forward; nil where the tree is in memory.
    private let upgrading: StoreUpgrade?
    /// Whether files that nothing refers to any more may be deleted now.
    package let sweeps = SweepPause()
    /// How often something was put aside in `failed/`, put back or deleted there since the start.
    private let putAsideChanges = Atomic(0)
    /// The files and folders that may neither vanish nor be replaced while the service runs, by name.
    private let essentials: [String: Directory.Identity]

    /// The engine that keeps the tree.
    package enum TreeEngine: String, Sendable {
        /// `tree.sqlite`.
        case sqlite
        /// Nothing but memory: the tree is gone when the service ends.
        case memory
    }

    /// Opens the folder, making what is missing, and takes its lock.
    ///
    /// - Parameters:
    ///   - blobs: Where the files of posts are; nil for the folder `blobs/`.
    ///   - retention: How long changes can be asked for.
    ///   - publicBase: The address by which apps know the service.
    ///   - derivations: What follows from what is written to the tree; see `TreeStore`.
    ///   - constraints: What no update of the tree may break.
    ///   - clock: The present time.
    /// - Throws: `FileError` (`storage_locked` when another process works here; the folder that is in the way otherwise;
    ///   `exists` when a tree is to be kept in memory beside one that is on disk) or `TreeError`. Nothing is bound or
    ///   changed before all of it succeeded.
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

    /// Notes that all data are of this version's format; see ``StoreUpgrade``.
    package func finishUpgrade() async throws { try await upgrading?.finish(tree) }

    /// Whether the store was brought forward, and how far that is.
    package var upgrade: UpgradeDocument { upgrading?.document ?? .current }

    /// Takes the store as it was brought forward.
    ///
    /// - Throws: `Failure` `wrong_state` when that is not done, or there is nothing to confirm.
    package func confirmUpgrade() throws {
        guard let upgrading else { throw Failure(.wrongState, "nothing is to be confirmed") }
        try upgrading.confirm()
    }

    /// The size of the tree's files, in bytes; nil where it is in memory.
    package func treeByteCount() async -> Int? {
        await FileThreads.run { [root] in
            let sizes = ["", "-wal", "-shm"].compactMap { try? root.entry(Self.treeName + $0)?.byteCount }
            return sizes.isEmpty ? nil : sizes.reduce(0, +)
        }
    }

    /// How often something was put aside in `failed/`, put back or deleted there since the start.
    package var putAsideCount: Int { putAsideChanges.load(ordering: .relaxed) }

    /// Counts something that is put aside in `failed/`, put back or deleted there.
    package func countPutAside() { putAsideChanges.add(1, ordering: .relaxed) }

    private static let treeName = "tree.sqlite"
    private static let markName = "tree.mark"

    /// Refuses a store whose database is gone, before there is a new one in its place.
    private static func refuseWithoutTree(in root: Directory) throws {
        guard try root.entry(treeName) == nil, try root.entry(markName) != nil,
            try CommitMark(path: "\(root.path)/\(markName)").lastChange != .start
        else { return }
        throw FileError(
            .notFound, "\(root.path)/\(treeName), the database of the store, is missing",
            hint: "put it back, or restore the store from a backup")
    }

    private static func localBlobs(in root: Directory, staging: Directory) throws(FileError) -> LocalBlobStore {
        _ = try root.folder("blobs", create: true)
        return try LocalBlobStore(path: "\(root.path)/blobs", staging: staging)
    }

    private static func open(_ engine: TreeEngine, in root: Directory) throws -> any Engine {
        let name = treeName
        guard engine == .memory else { return try SQLiteEngine(path: "\(root.path)/\(name)") }
        // What arrived for the one tree is never to be published, or swept away, by the other.
        guard try !root.entries().contains(where: { $0.name == name }) else {
            throw FileError(
                .exists,
                "\(root.path) holds a tree on disk, \(name): a tree in memory would mistake its files for its own",
                hint: "choose another folder, or none for a temporary one")
        }
        return MemoryEngine()
    }

    /// Looks whether all is where it was when it was opened. What was deleted or replaced, or lies below a mount by now, and can
    /// be made anew without harm (the folders of what comes and goes, the lock), is made anew, or turned to.
    ///
    /// - Returns: What was made anew or turned to.
    /// - Throws: `IntakePause` when what is kept is not there: the folder itself, the blobs or the tree. What is written then
    ///   could not be found again. `FileError` for what the system says.
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
            hint: "put it back as it was, or stop the service and start it again with what is there")
    }

    /// Closes the tree and gives the folder back; nothing may use it afterwards.
    package func close() async {
        try? await age.tick()
        await tree.close()
        lock.release()
    }

    /// Deletes what was being received when the last run ended: nobody was told that it is safe.
    private static func removeParts(in incoming: Directory) throws(FileError) {
        for entry in try incoming.entries() where entry.kind == .file && entry.name.hasSuffix(".part") {
            try incoming.remove(entry.name)
        }
    }

    /// The path of the local socket.
    package static func socketPath(in path: String) -> String { "\(path)/tintype.sock" }

    /// The reason for which nothing may be swept at present; nil while everything may.
    package var hold: Failure? { fault ?? upgrading?.hold }

    /// The fault of the store: damage of the tree or of a row of it, or different ages of the tree and the blobs.
    package var fault: Failure? { tree.health.finding.map { Failure($0) } ?? age.mismatch }
}
