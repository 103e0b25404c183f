import Failpoints
import Glibc

/// A test of the operations that the file system allows in a folder. It leaves nothing behind.
public struct FolderProbe {
    /// The name of the folder in which writing is tested; no upload and no user has it.
    package static let name = ".probe"

    private let folder: Directory

    /// Creates a test of a folder.
    public init(in folder: Directory) { self.folder = folder }

    /// Tests all operations of a durable write: creating a folder, writing, `fsync`, renaming, reading and deleting.
    ///
    /// - Throws: `FileError`, the first error.
    public func tryWriting() throws(FileError) {
        try removeLeftovers()
        do throws(FileError) {
            let inside = try folder.folder(Self.name, create: true)
            let bytes = [UInt8](repeating: 0x55, count: 4096)
            try inside.write(bytes, as: "probe")
            guard try inside.file("probe").readAll(maxBytes: bytes.count) == bytes else {
                throw FileError(.io, "the bytes read from \(inside.path) differ from those written to it")
            }
        } catch {
            try? removeLeftovers()
            throw error
        }
        try removeLeftovers()
    }

    /// Tests the operations that move files out of the folder: creating, renaming and deleting a file.
    ///
    /// - Throws: `FileError`, the first error.
    public func tryMoving() throws(FileError) {
        let (name, other) = (".tintype-probe", ".tintype-probe-renamed")
        try folder.remove(name)
        try folder.remove(other)
        _ = close(try folder.create(name))
        let result = Failpoint.rename.around("\(folder.path)/\(other)") {
            renameat(folder.descriptor, name, folder.descriptor, other)
        }
        guard result == 0 else { throw folder.failure("rename", name) }
        try folder.remove(other)
    }

    /// Deletes the leftovers of a test that was interrupted.
    public func removeLeftovers() throws(FileError) { try folder.removeTree(Self.name) }
}
