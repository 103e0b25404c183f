import Glibc

extension Directory {
    /// What is left on the file system that the folder is on.
    public struct Space: Sendable, Hashable {
        /// Bytes that a program without privileges may still write.
        public var freeBytes: Int
        /// All bytes of the file system.
        public var totalBytes: Int
        /// How many files can still be made; nil where the file system has no such limit.
        public var freeFiles: Int?
        /// Whether the file system is mounted read-only now.
        public var isReadOnly: Bool

        /// Makes a reading from its parts.
        public init(freeBytes: Int, totalBytes: Int, freeFiles: Int? = nil, isReadOnly: Bool = false) {
            self.freeBytes = freeBytes
            self.totalBytes = totalBytes
            self.freeFiles = freeFiles
            self.isReadOnly = isReadOnly
        }
    }

    /// Asks the file system what is left (`fstatvfs(3)`); cheap, and nothing is read from the disk.
    public func space() throws(FileError) -> Space {
        var status = statvfs()
        guard fstatvfs(descriptor, &status) == 0 else { throw failure("ask for the free space of", "") }
        func bytes(_ blocks: UInt) -> Int {
            let (product, overflow) = UInt64(blocks).multipliedReportingOverflow(by: UInt64(status.f_frsize))
            return overflow ? .max : Int(clamping: product)
        }
        return Space(
            freeBytes: bytes(status.f_bavail), totalBytes: bytes(status.f_blocks),
            freeFiles: status.f_files == 0 ? nil : Int(clamping: status.f_favail),
            isReadOnly: status.f_flag & UInt(ST_RDONLY) != 0)
    }
}
