package import API
import Files
import Foundation
import Model
import Synchronization
import Tree

/// Brings a store of an earlier version forward when it is opened, and keeps the way back until somebody says that all is well.
///
/// Before anything is changed, the tree is copied. What is changed then is changed by what works on the tree anyway, in steps that
/// may be cut off anywhere (``OrderMigration``, `SocialRepair`). Until it is confirmed no file is deleted, so that the copy
/// has all that it names.
///
///     upgrade/journal.json   what is brought forward, and how far that is
///     upgrade/tree.sqlite    the tree as it was
///     upgrade/store.json     the mark that stood beside the blobs then
package final class StoreUpgrade: Sendable {
    /// The format of stores that this version writes, in the tree at `store/format`. A store without a number has the first.
    ///
    /// | | |
    /// | --- | --- |
    /// | 1 | up to the first 0.1.0: lists, counters and search keys may be missing, or be those of other rules; the rows may have the layout of ``FirstFormat`` |
    /// | 2 | renditions have records, and names that are never used again; runs of re-thumbnailing are kept |
    package static let format: Int64 = 2

    private static let folderName = "upgrade"
    private static let treeName = "tree.sqlite"
    private static let journalName = "journal.json"
    private static let markName = "store.json"

    private let root: Directory
    private let state: Mutex<Journal?>

    /// How far an upgrade is.
    private struct Journal: Document, Hashable {
        enum Phase: String, Codable {
            /// The copy is there.
            case upgrading
            /// All is done, and not confirmed.
            case upgraded
            /// The copy is being put back.
            case returning
        }

        let from: Int64
        let to: Int64
        /// The time of the beginning.
        let begunAt: Timestamp
        var phase: Phase
    }

    // MARK: At the start

    /// Looks at a store before it is opened, and copies its tree if it is of an earlier version.
    ///
    /// - Parameter now: The present time.
    /// - Throws: `Failure` `unsupported_format` for a store of a later version, `upgrade_returning` where the way back was cut off,
    ///   `disk_full` where there is no room for the copy; `FileError`.
    init(in root: Directory, now: Timestamp) async throws {
        self.root = root
        var journal = try Self.journal(in: root)
        guard journal?.phase != .returning else {
            throw Failure(
                .upgradeReturning,
                "\(root.path) is being put back to what it was before an upgrade, and is not there yet",
                hint: "run tintype upgrade back again")
        }
        if journal == nil, let found = try await Self.format(in: root), found < Self.format {
            try Self.copy(in: root)
            let begun = Journal(from: found, to: Self.format, begunAt: now, phase: .upgrading)
            try Self.save(begun, in: root)
            journal = begun
        }
        // Brought forward once more, before anybody has confirmed the first time.
        if let old = journal, old.to < Self.format {
            let begun = Journal(from: old.from, to: Self.format, begunAt: now, phase: .upgrading)
            try Self.save(begun, in: root)
            journal = begun
        }
        if journal?.phase == .upgrading { try await Self.layOutRows(in: root) }
        state = Mutex(journal)
    }

    /// Gives the rows of the tree today's layout.
    private static func layOutRows(in root: Directory) async throws {
        let engine = try SQLiteEngine(path: "\(root.path)/\(treeName)")
        let records = [UploadNodes.upload, UploadNodes.queued, UploadNodes.reference, FileNodes.garbage].map(\.root)
        do { try await FirstFormat.bringForward(engine, moving: records, to: .pipeline) } catch {
            await engine.close()
            throw error
        }
        await engine.close()
    }

    private static func journal(in root: Directory) throws -> Journal? {
        guard try root.entry(folderName) != nil else { return nil }
        let folder = try root.folder(folderName)
        guard try folder.entry(journalName) != nil else { return nil }  // The copy was cut off.
        return try Journal(json: Data(folder.file(journalName).readAll(maxBytes: 4096)))
    }

    private static func save(_ journal: Journal, in root: Directory) throws {
        try root.folder(folderName).write(journal.json() + "\n".utf8, as: journalName)
    }

    /// The format of a store; nil for one without any data, or one that is damaged, which whoever opens it finds out.
    private static func format(in root: Directory) async throws -> Int64? {
        guard try root.entry(treeName) != nil, let engine = try? SQLiteEngine(path: "\(root.path)/\(treeName)") else {
            return nil
        }
        if (try? await FirstFormat.isUsed(by: engine)) == true {
            await engine.close()
            return 1
        }
        guard let tree = try? await TreeStore(engine: engine, isMaintained: false) else {
            await engine.close()
            return nil
        }
        let found: (format: Int64, version: String)? = try? await tree.snapshot { snapshot in
            try Self.storeFormat(in: snapshot)
        }
        await tree.close()
        guard let found, found.format > format else { return found?.format }
        throw Failure(
            .unsupportedFormat, "\(root.path) was written by version \(found.version), and has format \(found.format)",
            hint: "use that version, or a later one; this is \(ServiceVersion.current), which knows format \(format)")
    }

    private static func copy(in root: Directory) throws {
        let folder = try root.folder(folderName, create: true)
        for name in try folder.names() { try folder.remove(name) }
        let byteCount = try root.entry(treeName)?.byteCount ?? 0
        let free = try FileSystemSpace(around: root).freeBytes
        guard free > byteCount else {
            throw Failure(
                .diskFull, "\(root.path) is of an earlier version, and there is no room for a copy of its tree",
                hint: "make room for \(byteCount) bytes", isTransient: true)
        }
        if let blobs = try? root.folder("blobs"), try blobs.entry(LocalBlobStore.markName) != nil {
            try blobs.copy(LocalBlobStore.markName, to: folder, as: markName, via: ".\(markName).part")
        }
        try root.copy(treeName, to: folder, as: treeName, via: ".\(treeName).part")
    }

    // MARK: What has become of it

    /// The reason for which nothing may be swept: the way back has to stay.
    package var hold: Failure? {
        guard state.withLock({ $0 }) != nil else { return nil }
        return Failure(
            .upgradeUnconfirmed, "the store was brought forward from an earlier version, and that is not confirmed",
            hint: "see that all is well, and run tintype upgrade confirm; or tintype upgrade back")
    }

    /// What there is to tell of it.
    package var document: UpgradeDocument {
        guard let journal = state.withLock({ $0 }) else { return .current }
        let phase: UpgradeDocument.State =
            switch journal.phase {
            case .upgrading: .upgrading
            case .upgraded, .returning: .unconfirmed
            }
        return UpgradeDocument(
            state: phase, format: Int(Self.format), from: Int(journal.from), begunAt: journal.begunAt.milliseconds)
    }

    /// Notes the format of a store without any data, before there are any: data without a format are taken for those of an
    /// earlier version.
    func begin(_ tree: TreeStore) async throws {
        try await tree.transact { snapshot, update in
            guard try Self.storeFormat(in: snapshot) == nil else { return }
            Self.noteFormat(in: &update)
        }
    }

    private static func noteFormat(in update: inout MultiPathUpdate) {
        update[StoreNodes.store() / "format"] = .integer(format)
        update[StoreNodes.store() / "version"] = .string(ServiceVersion.current)
    }

    /// Notes that all data are of this version's format.
    func finish(_ tree: TreeStore) async throws {
        try await tree.transact { snapshot, update in
            guard try snapshot.get(StoreNodes.store() / "format") != .integer(Self.format) else { return }
            Self.noteFormat(in: &update)
        }
        guard var journal = state.withLock({ $0 }), journal.phase == .upgrading else { return }
        journal.phase = .upgraded
        try Self.save(journal, in: root)
        state.withLock { [journal] in $0 = journal }
    }

    /// Takes the store as it is; there is no way back any more.
    ///
    /// - Throws: `Failure` `wrong_state` while it is being brought forward, or when nothing was.
    package func confirm() throws {
        let journal = state.withLock { $0 }
        guard journal?.phase == .upgraded else {
            throw Failure(
                .wrongState, journal == nil ? "nothing is to be confirmed" : "the store is still being brought forward",
                hint: journal == nil ? "" : "wait until tintype upgrade says that it is done")
        }
        // First what says that there is a way back.
        let folder = try root.folder(Self.folderName)
        try folder.remove(Self.journalName)
        try folder.sync()
        try root.removeTree(Self.folderName)
        state.withLock { $0 = nil }
    }

    /// Puts a store back to what it was before an upgrade. Nobody may work on it. May be cut off anywhere, and called again.
    ///
    /// - Throws: `Failure` `wrong_state` when there is no way back; `FileError`.
    package static func goBack(path: String) throws {
        let root = try Directory(path: path)
        let lock = try FolderLock(in: root)
        defer { withExtendedLifetime(lock) {} }
        guard var journal = try journal(in: root) else {
            throw Failure(.wrongState, "there is no way back: no upgrade of \(path) is unconfirmed")
        }
        let folder = try root.folder(folderName)
        journal.phase = .returning
        try save(journal, in: root)
        for name in ["tree.mark", "\(treeName)-wal", "\(treeName)-shm", treeName] { try root.remove(name) }
        try folder.copy(treeName, to: root, as: treeName, via: ".\(treeName).part")
        if try folder.entry(markName) != nil {
            let mark = try folder.file(markName).readAll(maxBytes: 4096)
            try root.folder("blobs", create: true).write(mark, as: LocalBlobStore.markName)
        }
        try root.sync()
        try folder.remove(journalName)
        try root.removeTree(folderName)
    }
}

extension UpgradeDocument {
    static let current = UpgradeDocument(state: .current, format: Int(StoreUpgrade.format), from: nil, begunAt: nil)
}

extension StoreUpgrade {
    /// The format of a store and the version that wrote it; nil for one without any data.
    private static func storeFormat(in snapshot: TreeSnapshot) throws -> (format: Int64, version: String)? {
        let lists = [
            PostNodes.post(), AudienceNodes.post(), UploadNodes.upload(), ObjectNodes.file(), StoreNodes.store(),
        ]
        guard try lists.contains(where: { try snapshot.exists($0) }) else { return nil }
        let version = try snapshot.get(StoreNodes.store() / "version")?.stringValue ?? "0.1.0"
        return (try snapshot.get(StoreNodes.store() / "format")?.integerValue ?? 1, version)
    }
}
