import API
import Cryptography
import Files
import Foundation
import Synchronization

/// An archive of one backup, written from beginning to end: a tar file with the contents of a ``BackupFolder``. It
/// appears when it is complete and durable.
final class BackupArchive: BackupTarget {
    private struct State {
        var pieces: Set<String> = []
        var others: Set<String> = []
    }

    private let folder: Directory
    private let name: String
    private let file: StagedFile
    private let state = Mutex(State())
    let width = 1

    init(path: String) throws {
        let url = URL(fileURLWithPath: path)
        name = url.lastPathComponent
        folder = try Directory(path: url.deletingLastPathComponent().path)
        if let entry = try folder.entry(name), entry.kind != .file {
            throw FileError(.wrongKind, "\(path) exists, and is not a file", hint: "Choose another name.")
        }
        file = try StagedFile(in: folder, name: ".\(name.prefix(200)).part")
        // It contains the keys that sign tokens.
        try file.setMode(0o600)
    }

    func known() async throws -> (blobs: [FileListReader], others: [FileListReader]) { ([], []) }

    func unreadable() async throws -> [String] { [] }

    func copies(in folder: [String]) throws -> [String: Int] { [:] }

    func hasCopy(ofOther line: FileLine) throws -> Bool { false }

    func keep(_ piece: [UInt8]) throws -> String {
        let name = sha256(of: piece)
        guard state.withLock({ $0.pieces.insert(name).inserted }) else { return name }
        guard let compressed = Gzip.compress(piece) else {
            throw Failure(.internal, "there is not enough memory to compress a piece of the backup", isTransient: true)
        }
        try write(compressed, as: BackupLayout.piece(name))
        return name
    }

    func copyBlob(_ source: FileReader, to path: String, expecting sha256: String?) throws -> FileLine {
        let copy = try copy(source, to: "\(BackupLayout.blobs)/\(path)")
        return FileLine(path: path, byteCount: copy.byteCount, sha256: copy.sha256)
    }

    func copyOther(_ source: FileReader, sha256: String) throws {
        guard state.withLock({ $0.others.insert(sha256).inserted }) else { return }
        _ = try copy(source, to: BackupLayout.other(sha256).joined(separator: "/"))
    }

    func checkpoint(_ pieces: [String]) async throws {}

    func release() {}

    func finish(_ state: BackupState) async throws {
        try await FileThreads.run { [self] () throws in
            try write(
                BackupMark(format: BackupState.format, store: state.store).json() + "\n".utf8, as: [BackupMark.name])
            try write(state.json() + "\n".utf8, as: BackupLayout.state(state.token))
            try file.write([UInt8](repeating: 0, count: 2 * TarHeader.blockBytes))
            _ = try file.finish()
            try file.publish(as: name, in: folder)
            try folder.sync()
        }
    }

    private func write(_ bytes: [UInt8], as path: [String]) throws(FileError) {
        try file.write(header(path.joined(separator: "/"), bytes.count).bytes + bytes + padding(after: bytes.count))
    }

    private func copy(_ source: FileReader, to path: String) throws -> (byteCount: Int, sha256: String) {
        let byteCount = try source.byteCount()
        try file.write(header(path, byteCount).bytes)
        let range = FileRange(source, byteCount: byteCount)
        let copy = try range.read { bytes throws(FileError) in try file.write(bytes) }
        guard copy.byteCount == byteCount else {
            throw Failure(.changedWhileRead, "\(path) was changed while it was copied")
        }
        try file.write(padding(after: byteCount))
        return copy
    }

    private func header(_ path: String, _ byteCount: Int) -> TarHeader {
        TarHeader(name: path, byteCount: byteCount, modified: Int(Date().timeIntervalSince1970))
    }

    private func padding(after byteCount: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: TarHeader.padding(after: byteCount))
    }
}
