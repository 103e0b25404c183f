import Failpoints
import Glibc

/// A trial of what the file system lets us do in a folder. It leaves nothing behind.
public struct FolderProbe {
    /// The name of the folder in which writing is tried; no upload and no user is called so.
    package static let name = ".probe"

    private let folder: Directory

    /// Prepares a trial in a folder.
    public init(in folder: Directory) { self.folder = folder }

    /// Tries all that a durable write needs: to make a folder, write, `fsync`, rename, read and delete.
    ///
    /// - Throws: `FileError`, the first thing that was refused.
    public func tryWriting() throws(FileError) {
        try removeLeftovers()
        do throws(FileError) {
            let inside = try folder.folder(Self.name, create: true)
            let bytes = [UInt8](repeating: 0x55, count: 4096)
            try inside.write(bytes, as: "probe")
            guard try inside.file("probe").readAll(maxBytes: bytes.count) == bytes else {
                throw FileError(.io, "what was written to \(inside.path) is not what is read from it")
            }
        } catch {
            try? removeLeftovers()
            throw error
        }
        try removeLeftovers()
    }

    /// Tries what moving files out of the folder needs: to create, rename and remove one.
    ///
    /// - Throws: `FileError`, the first thing that was refused.
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

    /// Deletes the rest of a trial of writing that was cut off.
    public func removeLeftovers() throws(FileError) { try folder.removeTree(Self.name) }
}
