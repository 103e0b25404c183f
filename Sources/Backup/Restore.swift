package import API
import Files
import Foundation
package import Model
import Store
import Tree
import Uploads

/// The restoration of a backup into an empty Storage folder: first the tree, then the files that it names, each
/// compared with its digest in the backup. A restoration that was interrupted is continued.
package struct Restore: Sendable {
    /// The names of files that may exist in the folder before; they are not part of a store.
    private static let harmless: Set<String> = ["README.md", "tintype.json", "lock", "lost+found"]
    private static let workName = "restoring"

    /// The goal of the restoration, as stored in the mark of the folder.
    private struct Goal: Document, Hashable {
        let store: String
        let point: String
    }

    private let source: any BackupSource
    private let point: RestorePoint
    private let path: String
    private let publicBase: PublicBase?

    /// - Parameters:
    ///   - path: The Storage folder to create.
    ///   - publicBase: The address of the service for apps; nil for addresses without a host.
    package init(
        from source: any BackupSource, _ point: RestorePoint = .newest, to path: String, publicBase: PublicBase? = nil
    ) {
        (self.source, self.point, self.path, self.publicBase) = (source, point, path, publicBase)
    }

    /// Opens a folder or an archive of backups.
    package static func source(_ path: String) async throws -> any BackupSource {
        try await FileThreads.run { () throws -> any BackupSource in
            try TargetAccess(folder: path).explainingReads {
                do {
                    _ = try FileReader(path: path)
                } catch let error as FileError where error.code != .permission {
                    return try BackupFolder(path: path)
                }
                return try ArchiveReader(path: path)
            }
        }
    }

    /// Restores the backup, and reports findings and the progress.
    ///
    /// - Returns: The last step.
    /// - Throws: `Failure` `exists` for a folder with other contents; other errors; `CancellationError`.
    package func run(
        _ report: @escaping @Sendable (BackupStep) async throws -> Void
    ) async throws -> BackupStepDocument {
        var progress = BackupProgress(report: report)
        let plan = try await RestorePlan(point, of: source)
        let root = try Directory(path: path, create: true)
        let lock = try await FolderLock.waiting(in: root)
        defer { lock.release() }
        for path in try await source.unreadable() { try await progress.note(.unreadable(path)) }
        let isNew = try begin(Goal(store: plan.state.store, point: "\(point)"), in: root)
        let work = try root.folder(Self.workName, create: true)
        let tree = TreeRestore(plan, from: source, in: work, publicBase: publicBase)
        try await tree.run(&progress)
        try await restoreFiles(plan, tree: tree.path, in: root, isNew: isNew, &progress)
        try await restoreOthers(plan, in: root, &progress)
        try BulkFolder(root).sync()
        try work.move("tree.sqlite", to: root, as: "tree.sqlite")
        try root.removeTree(Self.workName)
        try root.remove(UnfinishedRestore.name)
        try root.sync()
        return try await progress.finish()
    }

    /// Writes the mark to the folder.
    ///
    /// - Returns: Whether the restoration is a new one.
    private func begin(_ goal: Goal, in root: Directory) throws -> Bool {
        if try root.entry(UnfinishedRestore.name) != nil {
            let bytes = try root.file(UnfinishedRestore.name).readAll(maxBytes: 4096)
            guard (try? Goal(json: Data(bytes))) == goal else {
                throw Failure(
                    .exists, "\(path) is being restored from other backups, or to another time",
                    hint: "Delete the folder, or choose another one.")
            }
            return false
        }
        let names = try root.names().filter { !Self.harmless.contains($0) }
        guard names.isEmpty else {
            throw Failure(
                .exists, "\(path) is not empty: \(names.prefix(5).joined(separator: ", "))",
                hint: "Restore to a new folder with --storage, check it, and replace the old one with it.")
        }
        try root.write(goal.json() + "\n".utf8, as: UnfinishedRestore.name)
        return true
    }

    // MARK: The blob store

    private func restoreFiles(
        _ plan: RestorePlan, tree path: String, in root: Directory, isNew: Bool, _ progress: inout BackupProgress
    ) async throws {
        let blobs = BulkFolder(try root.folder("blobs", create: true))
        let tree = try await TreeStore(engine: SQLiteEngine(path: path), isMaintained: false)
        do {
            progress.step.token = Int64(clamping: try await tree.token.sequence)
            var files = FileRestore(tree: tree, source: source, blobs: blobs, isNew: isNew)
            // Files that only the later backup has may have existed at this time already.
            try await progress.begin(.blobs, total: plan.state.files + (plan.next?.files ?? 0))
            for state in [plan.state, plan.next].compactMap(\.self) {
                try await files.run(state, &progress)
                files.isNew = false
            }
            if let mark = try await StorageAge.mark(of: tree) {
                try blobs.write(mark, to: [LocalBlobStore.markName])
            }
        } catch {
            await tree.close()
            throw error
        }
        await tree.close()
    }

    // MARK: Other files

    private func restoreOthers(
        _ plan: RestorePlan, in root: Directory, _ progress: inout BackupProgress
    ) async throws {
        let bulk = BulkFolder(root)
        var list = source.list(plan.state.others, skipsDamaged: true)
        try await progress.begin(.others, total: 0)
        while let line = try await list.next() {
            if line.names.count == 1, try root.entry(line.path) != nil { continue }  // A file that existed before.
            guard let first = line.names.first, first != "blobs", first != Self.workName else { continue }
            if let fault = try await restoreOther(line, to: bulk) {
                try await progress.note(.damaged(BackupLayout.other(line.sha256), "\(line.path): \(fault)"))
            } else {
                progress.countCopy(line)
            }
            try await progress.advance(by: 1)
        }
        for finding in list.findings { try await progress.note(finding) }
    }

    /// Copies a file.
    ///
    /// - Returns: The fault of the backup's copy, which is then omitted; nil if there is none.
    private func restoreOther(_ line: FileLine, to bulk: BulkFolder) async throws -> String? {
        let range: FileRange
        do {
            range = try await source.other(line)
        } catch let error as Failure where error.code == .backupDamaged {
            return error.message
        }
        return try await FileThreads.run { () throws in
            let copy = try bulk.copy(range, to: line.names)
            if copy.sha256 == line.sha256 { return nil }
            try bulk.root.folder(below: line.names.dropLast()).remove(line.names.last ?? "")
            return "the bytes of the backup's copy differ from those that were stored"
        }
    }
}
