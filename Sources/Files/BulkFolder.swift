import CPlatform
import Failpoints
import Glibc
import Synchronization

/// A folder for very many files, which become durable together by ``sync()`` and not one by one.
///
/// Until then, a crash may leave any of them missing, empty or truncated. Thread-safe; calls block.
package final class BulkFolder: Sendable {
    package let root: Directory
    /// The folder in which the last file was written, by its path.
    private let last = Mutex<(path: String, folder: Directory)?>(nil)

    package init(_ root: Directory) { self.root = root }

    /// Copies a file, or a part of one. An existing file is replaced atomically, and only if its bytes differ, because
    /// it may be in use.
    ///
    /// - Parameter path: The names from the root folder to the file.
    /// - Returns: The size of the copy, in bytes, and its SHA-256.
    package func copy(
        _ source: FileRange, to path: [String]
    ) throws(FileError) -> (byteCount: Int, sha256: String) {
        let (folder, name) = (try folder(Array(path.dropLast())), path.last ?? "")
        try checkFileName(name)
        guard let file = try create(name, in: folder, O_EXCL) else {
            return try replace(name, in: folder, by: source)
        }
        defer { close(file) }
        return try copy(source, to: file, "\(folder.path)/\(name)")
    }

    /// Writes a file, as ``copy(_:to:)`` does.
    package func write(_ bytes: [UInt8], to path: [String]) throws(FileError) {
        _ = try copy(FileRange(holding: bytes), to: path)
    }

    private func replace(
        _ name: String, in folder: Directory, by source: FileRange
    ) throws(FileError) -> (byteCount: Int, sha256: String) {
        let contents = try source.read { _ throws(FileError) in }
        // A file that cannot be read is replaced, too.
        if try folder.entry(name)?.kind == .file, (try? folder.file(name).sha256()) == contents.sha256 {
            return contents
        }
        let part = ".\(name.prefix(200)).part"
        guard let file = try create(part, in: folder, O_TRUNC) else { throw folder.failure("create", part) }
        defer { close(file) }
        let copy = try copy(source, to: file, "\(folder.path)/\(part)")
        let path = "\(folder.path)/\(name)"
        var result = Failpoint.fsync.around(path) { fsync(file) }
        guard result == 0 else { throw folder.failure("fsync", part) }
        result = Failpoint.rename.around(path) { renameat(folder.descriptor, part, folder.descriptor, name) }
        guard result == 0 else { throw folder.failure("rename", part) }
        return copy
    }

    private func copy(
        _ source: FileRange, to file: Int32, _ path: String
    ) throws(FileError) -> (byteCount: Int, sha256: String) {
        try source.read { bytes throws(FileError) in
            let failure = bytes.withUnsafeBytes { writeAll($0, to: file, path: path) }
            guard failure == 0 else { throw FileError(errno: failure, doing: "write \(path)") }
        }
    }

    /// Whether a file exists, of any size.
    package func contains(_ path: [String]) throws(FileError) -> Bool {
        do throws(FileError) {
            return try root.folder(below: Array(path.dropLast())).entry(path.last ?? ".") != nil
        } catch  where error.code == .notFound {
            return false
        }
    }

    /// Makes everything durable that was written to the folder's file system.
    package func sync() throws(FileError) {
        let result = Failpoint.fsync.around(root.path) { cplatform_sync_file_system(root.descriptor) }
        guard result == 0 else { throw FileError(errno: -result, doing: "sync \(root.path)") }
    }

    /// Creates a file; nil if it exists and `flag` is `O_EXCL`.
    private func create(_ name: String, in folder: Directory, _ flag: Int32) throws(FileError) -> Int32? {
        let flags = O_WRONLY | O_CREAT | flag | O_NOFOLLOW | O_CLOEXEC
        let path = "\(folder.path)/\(name)"
        let file = Failpoint.create.around(path) { cplatform_openat(folder.descriptor, name, flags, 0o640) }
        if file == -EEXIST { return nil }
        guard file >= 0 else { throw FileError(errno: -file, doing: "create \(path)") }
        return file
    }

    private func folder(_ path: [String]) throws(FileError) -> Directory {
        let key = path.joined(separator: "/")
        if let last = last.withLock({ $0 }), last.path == key { return last.folder }
        var folder = root
        for name in path {
            let made = Failpoint.makeFolder.around("\(folder.path)/\(name)") { mkdirat(folder.descriptor, name, 0o750) }
            guard made == 0 || errno == EEXIST else { throw folder.failure("create folder", name) }
            folder = try folder.folder(name)
        }
        last.withLock { [folder] in $0 = (key, folder) }
        return folder
    }
}
