import Glibc

extension Directory {
    /// What stands behind a name, without following links.
    public enum Kind: Sendable {
        case file, folder, other
    }

    /// A name in a folder, and what a look at it told.
    public struct Entry: Sendable {
        /// The name, as bytes the file system gave; names that are no UTF-8 are not listed.
        public let name: String
        /// What stands behind the name.
        public let kind: Kind
        /// Size in bytes.
        public let byteCount: Int
        /// When the file, its name or its rights last changed, nanoseconds since the epoch; nobody can set it back.
        public let changedNanoseconds: Int64
        /// When the bytes last changed, nanoseconds since the epoch; its owner may set it at will.
        public let modifiedNanoseconds: Int64
        /// How many names the file has.
        public let linkCount: Int
        /// The file's number in its file system.
        public let inode: UInt64
        /// The file system's number.
        public let device: UInt64
    }

    /// The names in the folder with what they are, in byte order. What vanishes meanwhile is left out.
    public func entries() throws(FileError) -> [Entry] {
        var entries: [Entry] = []
        for name in try names() {
            if let entry = try entry(name) { entries.append(entry) }
        }
        return entries
    }

    /// What stands behind one name; nil when nothing does, nor can because the name is too long.
    public func entry(_ name: String) throws(FileError) -> Entry? {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT || errno == ENAMETOOLONG { return nil }
            throw failure("look at", name)
        }
        let kind: Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            default: .other
            }
        return Entry(
            name: name, kind: kind, byteCount: status.st_size,
            changedNanoseconds: status.st_ctim.nanoseconds, modifiedNanoseconds: status.st_mtim.nanoseconds,
            linkCount: Int(status.st_nlink), inode: UInt64(status.st_ino), device: UInt64(status.st_dev))
    }
}

extension timespec {
    /// Nanoseconds since the epoch; the last moment that can be counted for what is beyond it.
    var nanoseconds: Int64 {
        let (whole, overflow) = Int64(tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : whole &+ Int64(tv_nsec)
    }
}
