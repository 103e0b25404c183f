import API
package import Files
import Foundation
import Synchronization

/// A reader of an archive, which contains one backup.
package final class ArchiveReader: BackupSource {
    private static let maxRecordBytes = 1 << 20

    private struct Entry {
        let header: TarHeader
        /// The offset of the file's bytes.
        let offset: Int
        /// The offset of the next header.
        var end: Int { offset + header.byteCount + TarHeader.padding(after: header.byteCount) }
    }

    /// The position at which the next file of the blob store is searched for: files are read in the order in which they
    /// are stored.
    private struct Cursor {
        var offset = 0
    }

    package let path: String
    private let file: FileReader
    /// All files except those of the blob store, by name.
    private let index: [String: Entry]
    private let cursor = Mutex(Cursor())

    /// Opens an archive. Blocks while it reads all headers.
    ///
    /// - Throws: `Failure` `not_a_backup`, `backup_damaged`; `FileError`.
    package init(path: String) throws {
        self.path = path
        file = try FileReader(path: path)
        var (index, offset): ([String: Entry], Int) = ([:], 0)
        while let entry = try Self.entry(in: file, at: offset, path) {
            if !entry.header.name.hasPrefix("\(BackupLayout.blobs)/") { index[entry.header.name] = entry }
            offset = entry.end
        }
        self.index = index
        guard index[BackupMark.name] != nil else {
            throw Failure(
                .notBackup, "\(path) is not an archive of a backup, or is cut off",
                hint: "Name one that tintype backup has created, or another copy of this one.")
        }
    }

    package func states() async throws -> [BackupState] {
        try await FileThreads.run { [self] () throws in
            try index.values.filter { $0.header.name.hasPrefix("\(BackupLayout.backups)/") }.map { entry in
                let bytes = try file.read(at: entry.offset, maxBytes: entry.header.byteCount)
                guard let state = try? BackupState(json: Data(bytes)) else { throw damaged(entry.header.name) }
                return try state.checked()
            }.sorted { $0.token < $1.token }
        }
    }

    package func unreadable() async throws -> [String] { [] }

    /// Does nothing: an archive is not changed.
    package func mark(damaged paths: [String], verified mark: VerificationMark?) async throws {}

    package func piece(_ name: String) async throws -> [UInt8] {
        try await FileThreads.run { [self] () throws in
            let entryName = BackupLayout.piece(name).joined(separator: "/")
            guard let entry = index[entryName], entry.header.byteCount <= BackupLayout.maxPieceBytes else {
                throw missing(entryName)
            }
            return try plain(try file.read(at: entry.offset, maxBytes: entry.header.byteCount), of: name)
        }
    }

    package func blob(_ line: FileLine) async throws -> FileRange {
        try await FileThreads.run { [self] () throws in
            let name = BackupLayout.blob(line).joined(separator: "/")
            return try cursor.withLock { cursor in
                var hasBegunAnew = false
                while true {
                    guard let entry = try Self.entry(in: file, at: cursor.offset, path) else {
                        guard !hasBegunAnew, cursor.offset > 0 else { throw missing(name) }
                        (cursor.offset, hasBegunAnew) = (0, true)
                        continue
                    }
                    cursor.offset = entry.end
                    if entry.header.name == name { return range(of: entry) }
                }
            }
        }
    }

    package func other(_ line: FileLine) async throws -> FileRange {
        let name = BackupLayout.other(line.sha256).joined(separator: "/")
        guard let entry = index[name] else { throw missing(name) }
        return range(of: entry)
    }

    private func range(of entry: Entry) -> FileRange {
        FileRange(file, at: entry.offset, byteCount: entry.header.byteCount)
    }

    private func missing(_ name: String) -> Failure {
        Failure(.backupDamaged, "\(path): \(name) is missing", hint: "Use another backup, or another copy of this one.")
    }

    private func damaged(_ name: String) -> Failure {
        Failure(
            .backupDamaged, "\(path): \(name) cannot be read", hint: "Use another backup, or another copy of this one.")
    }

    /// Reads the entry whose header is at an offset; nil at the end.
    private static func entry(in file: FileReader, at offset: Int, _ path: String) throws -> Entry? {
        func header(at offset: Int) throws -> TarHeader? {
            let block = try file.read(at: offset, maxBytes: TarHeader.blockBytes)
            guard !block.isEmpty, !block.allSatisfy({ $0 == 0 }) else { return nil }
            guard let header = TarHeader(block: block) else {
                throw Failure(
                    .notBackup, "\(path) is not an archive of a backup, or is damaged at byte \(offset)",
                    hint: "Name one that tintype backup has created, or another copy of this one.")
            }
            return header
        }
        guard let first = try header(at: offset) else { return nil }
        guard first.kind == .extended else { return Entry(header: first, offset: offset + TarHeader.blockBytes) }
        let records = try file.read(at: offset + TarHeader.blockBytes, maxBytes: min(first.byteCount, maxRecordBytes))
        let next = offset + TarHeader.blockBytes + first.byteCount + TarHeader.padding(after: first.byteCount)
        guard var second = try header(at: next), second.kind == .file else { return nil }
        second.extend(by: records)
        return Entry(header: second, offset: next + TarHeader.blockBytes)
    }
}
