import API
import Cryptography
package import Files
import Foundation
import Synchronization

/// A folder of backups of one store, which stores what the backups have in common only once.
///
///     tintype-backup.json       the store that the backups are of
///     backups/TOKEN.json        a backup (``BackupState``): exists when the backup is complete and durable
///     blobs/USER/POST/FILE      files of the blob store, at their paths there
///     others/00/SHA256          other files of the Storage folder
///     pieces/00/SHA256.gz       rows of the tree (``RowPiece``), lists of files (``FileLine``)
///     damaged.json              the files that a verification has found damaged (``DamageMarks``)
///     verified.json             the last verification without a finding (``VerificationMark``)
///     unfinished.json           the progress of a backup that is running, or was interrupted
///     lock                      held by the process that writes to the folder
package final class BackupFolder: BackupTarget, BackupSource {
    private static let unfinishedName = "unfinished.json"

    package let path: String
    let root: Directory
    private let bulk: BulkFolder
    /// The lock while this process writes to the folder; nil if it only reads.
    private let lock: FolderLock?
    /// The pieces that are durable, or will be when this backup is complete.
    private let durable = Mutex<Set<String>>([])
    private let marks: DamageMarks
    let width = 4

    /// The progress of a backup.
    private struct Unfinished: Document {
        let blobs: [String]
    }

    /// Opens a folder of backups for reading.
    ///
    /// - Throws: `Failure` `not_a_backup`; `FileError`.
    package init(path: String) throws {
        self.path = path
        root = try Directory(path: path)
        (bulk, marks) = (BulkFolder(root), DamageMarks(in: root))
        lock = nil
        guard try mark() != nil else { throw Self.foreign(path) }
    }

    /// Opens a folder of backups to delete some of them.
    ///
    /// - Throws: `Failure` `not_a_backup`; `FileError`, also if another process writes to the folder.
    package convenience init(toChange path: String) throws {
        let access = TargetAccess(folder: path)
        guard let mark = try access.explainingReads({ try BackupFolder(path: path).mark() }) else {
            throw Self.foreign(path)
        }
        do {
            try self.init(path: path, of: mark.store)
        } catch let error as FileError where [.permission, .readOnly].contains(error.code) {
            throw access.failure(error)
        }
    }

    /// Opens a folder to write backups of a store, and creates it if it is missing.
    ///
    /// - Throws: `Failure` `not_a_backup` for a folder with other contents, `different_stores`; `FileError`, also if
    ///   another process writes to the folder.
    package init(path: String, of store: String) throws {
        self.path = path
        root = try Directory(path: path, create: true)
        (bulk, marks) = (BulkFolder(root), DamageMarks(in: root))
        lock = try root.lockForBackups()
        if let mark = try mark() {
            guard mark.store == store else {
                throw Failure(
                    .differentStores, "\(path) has backups of another store",
                    hint: "Choose another folder for the backups of this store.")
            }
        } else {
            // A first backup may have been interrupted before the mark was written.
            let leftovers = try root.names().filter { $0 != "lock" }
            guard leftovers.allSatisfy(StagedFile.isTemporary) else {
                throw Self.foreign(path, holding: ", and is not empty")
            }
            for name in leftovers { try root.remove(name) }
            // The folder will contain the keys that sign tokens.
            try closeToOthers(root)
            let mark = BackupMark(format: BackupState.format, store: store)
            try root.write(mark.json() + "\n".utf8, as: BackupMark.name)
        }
        for name in [BackupLayout.backups, BackupLayout.blobs] { _ = try root.folder(name, create: true) }
    }

    private static func foreign(_ path: String, holding rest: String = "") -> Failure {
        Failure(
            .notBackup, "\(path) is no folder of backups\(rest)",
            hint: "Name a folder that tintype backup has created, or a new one.")
    }

    private func mark() throws -> BackupMark? {
        guard try root.entry(BackupMark.name) != nil else { return nil }
        let bytes = try root.file(BackupMark.name).readAll(maxBytes: 4096)
        guard let mark = try? BackupMark(json: Data(bytes)) else { throw Self.foreign(path) }
        guard mark.format <= BackupState.format else {
            throw Failure(
                .unsupportedFormat, "\(path) has format \(mark.format); this program supports \(BackupState.format)",
                hint: "Use a later version.")
        }
        return mark
    }

    // MARK: Reading

    package func states() async throws -> [BackupState] {
        try await FileThreads.run { [root] () throws in try BackupDescriptions(in: root).states }
    }

    package func unreadable() async throws -> [String] {
        try await FileThreads.run { [root] () throws in try BackupDescriptions(in: root).unreadable }
    }

    /// Replaces the marks; does nothing in a folder that is read-only for this process.
    package func mark(damaged paths: [String], verified mark: VerificationMark?) async throws {
        try await FileThreads.run { [root] () throws(FileError) in
            try DamageMarks.replace(by: paths, in: root)
            try mark?.write(in: root)
        }
    }

    package func piece(_ name: String) async throws -> [UInt8] {
        try await FileThreads.run { [self] () throws in
            let file = try open(BackupLayout.piece(name))
            return try plain(try file.readAll(maxBytes: BackupLayout.maxPieceBytes), of: name)
        }
    }

    package func blob(_ line: FileLine) async throws -> FileRange { try await range(BackupLayout.blob(line)) }

    package func other(_ line: FileLine) async throws -> FileRange {
        try await range(BackupLayout.other(line.sha256))
    }

    private func range(_ path: [String]) async throws -> FileRange {
        try await FileThreads.run { [self] () throws in FileRange(try open(path)) }
    }

    private func open(_ path: [String]) throws -> FileReader {
        let result = Result { () throws(FileError) in
            try root.folder(below: Array(path.dropLast())).file(path.last ?? "")
        }
        guard case .failure(let error) = result, error.code == .notFound else { return try result.get() }
        throw Failure(
            .backupDamaged, "\(self.path)/\(path.joined(separator: "/")) is missing",
            hint: "Use another backup, or another copy of this one.")
    }

    // MARK: Writing

    func known() async throws -> (blobs: [FileListReader], others: [FileListReader]) {
        let states = try await states()
        let last = states.last
        durable.withLock { pieces in
            for state in states { pieces.formUnion(state.tree + state.blobs + state.others) }
        }
        try await FileThreads.run { [marks] () throws in try marks.read() }
        var blobs = [list(last?.blobs ?? [], skipsDamaged: true)]
        if try root.entry(Self.unfinishedName) != nil {
            let bytes = try root.file(Self.unfinishedName).readAll(maxBytes: BackupDescriptions.maxBytes)
            if let unfinished = try? Unfinished(json: Data(bytes)) {
                blobs.append(list(unfinished.blobs, skipsDamaged: true))
                durable.withLock { $0.formUnion(unfinished.blobs) }
            }
        }
        return (blobs, [list(last?.others ?? [], skipsDamaged: true)])
    }

    func copies(in folder: [String]) throws(FileError) -> [String: Int] {
        let path = [BackupLayout.blobs] + folder
        do throws(FileError) {
            let files = try root.folder(below: path).entries().filter {
                $0.kind == .file && !marks.contains(path + [$0.name])
            }
            return Dictionary(files.map { ($0.name, $0.byteCount) }) { $1 }
        } catch  where error.code == .notFound {
            return [:]
        }
    }

    func hasCopy(ofOther line: FileLine) throws -> Bool {
        let path = BackupLayout.other(line.sha256)
        guard !marks.contains(path), try bulk.contains(path) else { return false }
        return try root.folder(below: path.dropLast()).entry(line.sha256)?.byteCount == line.byteCount
    }

    func keep(_ piece: [UInt8]) throws -> String {
        let name = sha256(of: piece)
        let path = BackupLayout.piece(name)
        // A piece that no backup refers to was left by an interrupted backup, and may be truncated.
        let isNew = durable.withLock { $0.insert(name).inserted }
        guard isNew || marks.contains(path) || !root.hasPiece(path, of: piece) else { return name }
        guard let compressed = Gzip.compress(piece) else {
            throw Failure(.internal, "there is not enough memory to compress a piece of the backup", isTransient: true)
        }
        try bulk.write(compressed, to: path)
        marks.forget(path)
        return name
    }

    func copyBlob(_ source: FileReader, to path: String, expecting sha256: String?) throws -> FileLine {
        let names = [BackupLayout.blobs] + path.split(separator: "/").map(String.init)
        // A good copy is not replaced by a file that has been damaged since.
        if let sha256, let copy = try? root.folder(below: names.dropLast()).file(names.last ?? ""),
            (try? copy.sha256()) == sha256
        {
            marks.forget(names)
            return FileLine(path: path, byteCount: try copy.byteCount(), sha256: sha256)
        }
        let copy = try bulk.copy(FileRange(source), to: names)
        marks.forget(names)
        return FileLine(path: path, byteCount: copy.byteCount, sha256: copy.sha256)
    }

    func copyOther(_ source: FileReader, sha256: String) throws {
        let path = BackupLayout.other(sha256)
        let copy = try bulk.copy(FileRange(source), to: path)
        guard copy.sha256 == sha256 else { throw Failure(.changedWhileRead, "a file was changed while it was copied") }
        marks.forget(path)
    }

    func checkpoint(_ pieces: [String]) async throws {
        try await FileThreads.run { [self] () throws in
            try bulk.sync()
            try root.write(Unfinished(blobs: pieces).json() + "\n".utf8, as: Self.unfinishedName)
        }
    }

    func release() { lock?.release() }

    func finish(_ state: BackupState) async throws {
        try await FileThreads.run { [self] () throws in
            try bulk.sync()
            let path = BackupLayout.state(state.token)
            try root.folder(BackupLayout.backups).write(state.json() + "\n".utf8, as: path[1])
            try root.remove(Self.unfinishedName)
            try marks.save()
            try root.sync()
        }
    }
}
