import Glibc

/// The free space of a file system.
public struct FileSystemSpace: Sendable, Hashable {
    /// The number of bytes that a program without privileges can still write.
    public let freeBytes: Int
    /// The size of the file system, in bytes.
    public let totalBytes: Int
    /// The number of files that can still be created; nil if the file system has no such limit.
    public let freeFiles: Int?
    /// Whether the file system is mounted read-only now.
    public let isReadOnly: Bool

    /// Creates a value from its parts.
    public init(freeBytes: Int, totalBytes: Int, freeFiles: Int? = nil, isReadOnly: Bool = false) {
        self.freeBytes = freeBytes
        self.totalBytes = totalBytes
        self.freeFiles = freeFiles
        self.isReadOnly = isReadOnly
    }

    /// Reads the space of the file system that contains a folder (`fstatvfs(3)`); fast, and without reading from the
    /// disk.
    public init(around folder: Directory) throws(FileError) {
        var status = statvfs()
        guard fstatvfs(folder.descriptor, &status) == 0 else {
            throw folder.failure("read the free space of", "")
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
