package import API
import Concurrency
import Files
import Foundation
import Keeping
import Model
package import Store
import Tree

/// A report of a backup or a restoration while it runs.
package enum BackupStep: Sendable {
    case finding(FindingDocument)
    case step(BackupStepDocument)
}

/// A backup of a store while it is in use: of one state of its tree, and of all files that this state names.
///
/// The rows of the tree are read in one snapshot. Then the blob store is walked over. A file that the last backup
/// contains is not read again if its copy exists with the right size, because files there never change. Sweeps are
/// paused meanwhile, so that all files named in the snapshot still exist. Files that are added later are copied as
/// well, and ignored by a restoration.
package struct Backup: Sendable {
    /// The number of folders that are listed together.
    private static let page = 64
    private static let checkpointInterval = Duration.seconds(5)

    private let storage: StorageFolder
    private let path: String
    private let target: any BackupTarget
    /// The id of the store.
    private let store: String

    /// - Parameter path: A folder, or a file if it ends in `.tar`.
    /// - Throws: `Failure` for a path that cannot be used, or a store that cannot be backed up; `FileError`.
    package init(of storage: StorageFolder, to path: String) throws {
        guard let store = storage.age.storeID, storage.engine == .sqlite else {
            throw Failure(
                .notAllowed, "a tree in memory cannot be backed up", hint: "Write it as JSON with tintype tree export.")
        }
        if let fault = storage.fault { throw fault }
        let places = [storage.path, path].map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }
        guard places[0] != places[1], !places[1].hasPrefix("\(places[0])/") else {
            throw Failure(
                .badRequest, "\(path) is inside of the store that should be backed up",
                hint: "Choose a folder elsewhere, best on another disk.")
        }
        self.storage = storage
        self.path = path
        self.store = store
        let isArchive = path.hasSuffix(".tar")
        let folder = isArchive ? URL(fileURLWithPath: path).deletingLastPathComponent().path : path
        target = try TargetAccess(folder: folder).explaining {
            if isArchive { return try BackupArchive(path: path) }
            return try BackupFolder(path: path, of: store)
        }
    }

    /// Creates the backup, and reports findings and, several times a second, the progress. Cancel the task to stop it
    /// at any point: the next backup continues from there.
    ///
    /// - Returns: The last step.
    /// - Throws: `Failure`, `FileError`, `TreeError`; `CancellationError`.
    package func run(
        _ report: @escaping @Sendable (BackupStep) async throws -> Void
    ) async throws -> BackupStepDocument {
        let pause = await storage.sweeps.pause()
        defer { withExtendedLifetime(pause) { target.release() } }
        var progress = BackupProgress(report: report)
        let known = try await target.known()
        let madeAt = storage.clock()
        let rows = try await keepTree()
        progress.step.token = Int64(clamping: rows.token.sequence)
        let blobs = try await keepBlobs(KnownFiles(known.blobs), &progress)
        let totals = (files: progress.step.files, bytes: progress.step.bytes)
        let others = try await keepOthers(KnownFiles(known.others), &progress)
        try await target.finish(
            BackupState(
                format: BackupState.format, version: ServiceVersion.current, store: store, token: rows.token.sequence,
                madeAt: madeAt, files: totals.files, bytes: totals.bytes, tree: rows.pieces, blobs: blobs,
                others: others))
        for path in try await target.unreadable() { try await progress.note(.unreadable(path)) }
        let record = BackupRecord(madeAt: madeAt.milliseconds, path: path, findings: progress.step.findings)
        await FileThreads.run { [storage] in record.keep(in: storage.root, staging: storage.incoming) }
        return try await progress.finish()
    }

    private func keepTree() async throws -> ArchivedRows<String> {
        try await TreeArchive(of: storage.tree).read { [target] piece in try target.keep(piece.bytes) }
    }

    // MARK: The blob store

    /// A folder of the blob store, and the names of its files.
    private struct Folder: Sendable {
        let user: String
        let id: String
        var names: [String] = []
        /// The sizes of the existing copies, by name.
        var copies: [String: Int] = [:]
    }

    private func keepBlobs(
        _ known: KnownFiles, _ progress: inout BackupProgress
    ) async throws -> [String] {
        let blobs = storage.blobs
        var known = known
        var list = FileListWriter { [target] piece in
            try await FileThreads.run { () throws in try target.keep(piece) }
        }
        let folders = try await blobs.entries(of: BlobWalk(.posts)).map { Folder(user: $0.userID, id: $0.postID) }
        try await progress.begin(.blobs, total: folders.count)
        var lastCheckpoint = ContinuousClock.now
        for start in stride(from: 0, to: folders.count, by: Self.page) {
            let page = folders[start..<min(start + Self.page, folders.count)]
            for line in try await lines(of: Array(page), &known, &progress) {
                try await list.add(line)
                progress.count(line)
            }
            try await progress.advance(by: page.count)
            if ContinuousClock.now - lastCheckpoint >= Self.checkpointInterval {
                try await target.checkpoint(try await list.piecesSoFar())
                lastCheckpoint = .now
            }
        }
        return try await list.finish()
    }

    /// Returns the lines of the files of some folders, and copies files that are new or have no copy.
    private func lines(
        of folders: [Folder], _ known: inout KnownFiles, _ progress: inout BackupProgress
    ) async throws -> [FileLine] {
        let (blobs, target) = (storage.blobs, target)
        var (lines, unknown): ([FileLine?], [(Int, BlobName)]) = ([], [])
        var listed: [Folder] = []
        try await forEachConcurrently(folders, concurrency: 4) { folder in
            var folder = folder
            let path = [folder.user, folder.id]
            folder.names = try await blobs.fileNames(userID: folder.user, postID: folder.id)
            folder.copies = try await FileThreads.run { () throws in try target.copies(in: path) }
            return folder
        } _: { folder in
            listed.append(folder)
        }
        for folder in listed {
            for name in folder.names {
                guard let blob = try? BlobName(userID: folder.user, postID: folder.id, fileName: name) else { continue }
                var line = try await known.line(of: "\(blob)")
                if let known = line, folder.copies[name] != known.byteCount { line = nil }
                if line == nil { unknown.append((lines.count, blob)) }
                lines.append(line)
            }
        }
        try await forEachConcurrently(unknown, concurrency: target.width) { [storage] index, blob in
            (index, try await Self.copy(blob, of: storage, to: target))
        } _: { index, copy in
            lines[index] = copy?.line
            guard let copy else { return }
            progress.countCopy(copy.line)
            if let finding = copy.finding { try await progress.note(finding) }
        }
        return lines.compactMap(\.self)
    }

    private struct Copy: Sendable {
        let line: FileLine
        var finding: FindingDocument?
    }

    /// Copies a file; nil if it has been deleted.
    private static func copy(
        _ blob: BlobName, of storage: StorageFolder, to target: any BackupTarget
    ) async throws -> Copy? {
        try Task.checkCancellation()
        guard let file = try await storage.blobs.openIfThere(blob) else { return nil }
        let expected = try await expected(of: blob, in: storage.tree)
        let line = try await FileThreads.run { () throws in
            try target.copyBlob(file, to: "\(blob)", expecting: expected?.sha256)
        }
        guard let expected, line.sha256 != expected.sha256 else { return Copy(line: line) }
        return Copy(
            line: line,
            finding: FindingDocument(
                expected.isOriginal ? .originalDamaged : .renditionDamaged, path: "blobs/\(blob)", post: blob.postID,
                message: "the bytes differ from those that were stored"))
    }

    /// Returns the digest of a file in the tree, and whether the file is an original; nil if the tree has none.
    private static func expected(
        of blob: BlobName, in tree: TreeStore
    ) async throws -> (sha256: String, isOriginal: Bool)? {
        guard let id = PostID(blob.postID) else { return nil }
        let claim = try await tree.snapshot { snapshot in
            try FolderClaims(of: id, owner: blob.userID, asIfAtRest: true, in: snapshot).byName[blob.fileName]
        }
        guard let claim, case .sha256(let digest)? = claim.digest else { return nil }
        return (digest, claim.role == .original)
    }

    // MARK: Other files

    private func keepOthers(_ known: KnownFiles, _ progress: inout BackupProgress) async throws -> [String] {
        var known = known
        var list = FileListWriter { [target] piece in
            try await FileThreads.run { () throws in try target.keep(piece) }
        }
        let files = try await OtherFiles(in: storage.root).all()
        try await progress.begin(.others, total: files.count)
        for file in files {
            if let line = try await line(of: file, known: try await known.line(of: file.path), &progress) {
                try await list.add(line)
            }
            try await progress.advance(by: 1)
        }
        return try await list.finish()
    }

    /// Returns the line of a file, after copying the file if needed; nil for a file that was deleted or is being
    /// written.
    private func line(
        of file: OtherFiles.File, known: FileLine?, _ progress: inout BackupProgress
    ) async throws -> FileLine? {
        if let known, known.modified == file.modified, known.byteCount == file.byteCount,
            try await FileThreads.run({ [target] () throws in try target.hasCopy(ofOther: known) })
        {
            return known
        }
        let line: FileLine? = try await FileThreads.run { [storage, target] () throws in
            do {
                let reader = try file.open(in: storage.root)
                let sha256 = try reader.sha256()
                try target.copyOther(reader, sha256: sha256)
                return FileLine(path: file.path, byteCount: file.byteCount, sha256: sha256, modified: file.modified)
            } catch let error as FileError where [.notFound, .wrongKind, .permission].contains(error.code) {
                return nil
            } catch let error as Failure where error.code == .changedWhileRead {
                return nil
            }
        }
        if let line { progress.countCopy(line) }
        return line
    }
}
