import Glibc

/// The space that is left on a file system.
public struct FileSystemSpace: Sendable, Hashable {
    /// Bytes that a program without privileges may still write.
    public let freeBytes: Int
    /// All bytes of the file system.
    public let totalBytes: Int
    /// How many files can still be made; nil where the file system has no such limit.
    public let freeFiles: Int?
    /// Whether the file system is mounted read-only now.
    public let isReadOnly: Bool

    /// Makes a reading from its parts.
    public init(freeBytes: Int, totalBytes: Int, freeFiles: Int? = nil, isReadOnly: Bool = false) {
        self.freeBytes = freeBytes
        self.totalBytes = totalBytes
        self.freeFiles = freeFiles
        self.isReadOnly = isReadOnly
    }

    /// Asks the file system that a folder is on (`fstatvfs(3)`); cheap, and nothing is read from the disk.
    public init(around folder: Directory) throws(FileError) {
        var status = statvfs()
        guard fstatvfs(folder.descriptor, &status) == 0 else {
            throw folder.failure("ask for the free space of", "")
        }
        let blockSize = UInt64(status.f_frsize)
        func bytes(_ blocks: UInt) -> Int {
            let (product, overflow) = UInt64(blocks).multipliedReportingOverflow(by: blockSize)
            return overflow ? .max : Int(clamping: product)
        }
        self.init(
            freeBytes: bytes(status.f_bavail), totalBytes: bytes(status.f_blocks),
            freeFiles: status.f_files == 0 ? nil : Int(clamping: status.f_favail),
            isReadOnly: status.f_flag & UInt(ST_RDONLY) != 0)
    }
}
