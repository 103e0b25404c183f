package import API
import Files
import Foundation
import Model
import Synchronization
import Tree

/// The upgrade of a store of an earlier version when it is opened. It can be undone until an operator confirms it.
///
/// First the tree is copied. Then the layout of its rows (``FirstFormat``) and its data (`DataUpgrade`) are migrated,
/// in steps that may be interrupted at any point. Until the upgrade is confirmed, no file is deleted, so that all files
/// exist that the copy names.
///
///     upgrade/journal.json   the formats, and the state of the upgrade
///     upgrade/tree.sqlite    the tree before the upgrade
///     upgrade/store.json     the mark beside the blobs at that time
package final class StoreUpgrade: Sendable {
    /// The format of stores that this version writes, in the tree at `store/format`. A store without a number has
    /// format 1.
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

    /// The state of an upgrade.
    private struct Journal: Document, Hashable {
        enum Phase: String, Codable {
            /// The copy is complete.
            case upgrading
            /// The upgrade is complete and not confirmed.
            case upgraded
            /// The copy is being restored.
            case returning
        }

        let from: Int64
        let to: Int64
        /// The time at which the upgrade began.
        let begunAt: Timestamp
        var phase: Phase
    }

    // MARK: Before the store is opened

    /// Examines a store before it is opened, and copies its tree if it is of an earlier version.
    ///
    /// - Parameter now: The current time.
    /// - Throws: `Failure` `unsupported_format` for a store of a later version, `upgrade_returning` if the restoration
    ///   of the copy was interrupted, `disk_full` if there is no space for the copy; `FileError`.
    init(in root: Directory, now: Timestamp) async throws {
        self.root = root
        var journal = try Self.journal(in: root)
        guard journal?.phase != .returning else {
            throw Failure(
                .upgradeReturning,
                "the upgrade of \(root.path) is being undone, and that is not complete",
                hint: "Run tintype store upgrade back again.")
        }
        if journal == nil, let found = try await Self.format(in: root), found < Self.format {
            try Self.copy(in: root)
            let begun = Journal(from: found, to: Self.format, begunAt: now, phase: .upgrading)
            try Self.save(begun, in: root)
            journal = begun
        }
        // The store is upgraded once more before the first upgrade was confirmed.
        if let old = journal, old.to < Self.format {
            let begun = Journal(from: old.from, to: Self.format, begunAt: now, phase: .upgrading)
            try Self.save(begun, in: root)
            journal = begun
        }
        if journal?.phase == .upgrading { try await Self.layOutRows(in: root) }
        state = Mutex(journal)
    }

    /// Converts the rows of the tree to the present layout.
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
        guard try folder.entry(journalName) != nil else { return nil }  // The copy was interrupted.
        return try Journal(json: Data(folder.file(journalName).readAll(maxBytes: 4096)))
    }

    private static func save(_ journal: Journal, in root: Directory) throws {
        try root.folder(folderName).write(journal.json() + "\n".utf8, as: journalName)
    }

    /// Returns the format of a store; nil if it has no data, or is damaged, which is found when it is opened.
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
            hint: "Use that version, or a later one. This is \(ServiceVersion.current), with format \(format).")
    }

    private static func copy(in root: Directory) throws {
        let folder = try root.folder(folderName, create: true)
        for name in try folder.names() { try folder.remove(name) }
        let byteCount = try root.entry(treeName)?.byteCount ?? 0
        let free = try FileSystemSpace(around: root).freeBytes
        guard free > byteCount else {
            throw Failure(
                .diskFull, "\(root.path) is of an earlier version, and there is no space for a copy of its tree",
                hint: "Free \(byteCount) bytes.", isTransient: true)
        }
        if let blobs = try? root.folder("blobs"), try blobs.entry(LocalBlobStore.markName) != nil {
            try blobs.copy(LocalBlobStore.markName, to: folder, as: markName, via: ".\(markName).part")
        }
        try root.copy(treeName, to: folder, as: treeName, via: ".\(treeName).part")
    }

    // MARK: State

    /// The reason why nothing may be cleaned up: it must stay possible to undo the upgrade.
    package var hold: Failure? {
        guard state.withLock({ $0 }) != nil else { return nil }
        return Failure(
            .upgradeUnconfirmed, "the store was upgraded from an earlier version, and the upgrade is not confirmed",
            hint: "Check that all is well, and run tintype store upgrade confirm, or run tintype store upgrade back.")
    }

    /// The description of the upgrade.
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

    /// Records the format in a store without data, before there are any; a store with data and without a format is of
    /// an earlier version.
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

    /// Records that all data have this version's format.
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

    /// Confirms the upgrade, which cannot be undone afterwards.
    ///
    /// - Throws: `Failure` `wrong_state` if the upgrade is not complete, or there is none.
    package func confirm() throws {
        let journal = state.withLock { $0 }
        guard journal?.phase == .upgraded else {
            throw Failure(
                .wrongState, journal == nil ? "there is nothing to confirm" : "the store is still being upgraded",
                hint: journal == nil ? "" : "Wait until tintype store upgrade reports that it is done.")
        }
        // The journal first: without it, the upgrade cannot be undone.
        let folder = try root.folder(Self.folderName)
        try folder.remove(Self.journalName)
        try folder.sync()
        try root.removeTree(Self.folderName)
        state.withLock { $0 = nil }
    }

    /// Undoes an upgrade, for a store that no process uses. It may be interrupted at any point, and called again.
    ///
    /// - Throws: `Failure` `wrong_state` if there is no unconfirmed upgrade; `FileError`.
    package static func goBack(path: String) throws {
        let root = try Directory(path: path)
        let lock = try FolderLock(in: root)
        defer { withExtendedLifetime(lock) {} }
        guard var journal = try journal(in: root) else {
            throw Failure(.wrongState, "there is nothing to undo: no upgrade of \(path) is unconfirmed")
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
    /// Returns the format of a store and the version that wrote it; nil if it has no data.
    private static func storeFormat(in snapshot: TreeSnapshot) throws -> (format: Int64, version: String)? {
        let lists = [
            PostNodes.post(), AudienceNodes.post(), UploadNodes.upload(), ObjectNodes.file(), StoreNodes.store(),
        ]
        guard try lists.contains(where: { try snapshot.exists($0) }) else { return nil }
        let version = try snapshot.get(StoreNodes.store() / "version")?.stringValue ?? "0.1.0"
        return (try snapshot.get(StoreNodes.store() / "format")?.integerValue ?? 1, version)
    }
}
