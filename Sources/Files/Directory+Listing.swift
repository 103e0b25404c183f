import Glibc

extension Directory {
    /// The kind of a directory entry; symbolic links are not followed.
    public enum Kind: Sendable {
        case file, folder, other
    }

    /// The identity of a folder or file, independent of its name: its inode number, and that of its file system.
    public struct Identity: Sendable, Hashable {
        fileprivate let device: UInt64
        fileprivate let inode: UInt64
    }

    /// A name in a folder, with the attributes of the file that has it.
    public struct Entry: Sendable {
        /// The name; names that are not UTF-8 are not listed.
        public let name: String
        /// The kind of the entry.
        public let kind: Kind
        /// Size in bytes.
        public let byteCount: Int
        /// The time of the last change to the bytes, the name or the permissions, in nanoseconds since the epoch; it
        /// cannot be set back.
        public let changedNanoseconds: Int64
        /// The time of the last change to the bytes, in nanoseconds since the epoch; the file's owner can set it to any
        /// value.
        public let modifiedNanoseconds: Int64
        /// The number of names (hard links) that the file has.
        public let linkCount: Int
        /// The file's number in its file system.
        public let inode: UInt64
        /// The file system's number.
        public let device: UInt64

        /// The identity of the file now; a mount that covers it has another one.
        public var identity: Identity { Identity(device: device, inode: inode) }
    }

    /// Returns the entries of the folder, in byte order of their names. Files that are deleted in the meantime are
    /// omitted.
    public func entries() throws(FileError) -> [Entry] {
        var entries: [Entry] = []
        for name in try names() {
            if let entry = try entry(name) { entries.append(entry) }
        }
        return entries
    }

    /// Returns the entry of one name, `.` for the folder itself; nil if it does not exist, or the name is too long for
    /// any file.
    public func entry(_ name: String) throws(FileError) -> Entry? {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT || errno == ENAMETOOLONG { return nil }
            throw failure("read status of", name)
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

    /// Returns the names in the folder, in byte order; names that are not UTF-8 are omitted.
    public func names() throws(FileError) -> [String] {
        try rawNames().compactMap(\.text)
    }

    /// Returns a page of a folder of any length: the first `limit` names after `cursor`, in byte order. It keeps about
    /// twice as many names in memory, and costs one pass over the folder.
    ///
    /// - Parameter isWanted: Whether a name is included; the bytes are valid during the call only.
    public func rawNames(
        after cursor: RawName? = nil, limit: Int = .max,
        where isWanted: (UnsafeRawBufferPointer) -> Bool = { _ in true }
    ) throws(FileError) -> [RawName] {
        // A descriptor of its own: a listing moves the offset, which duplicates would share.
        let listing = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard listing >= 0 else { throw failure("list", "") }
        guard let stream = fdopendir(listing) else {
            let error = failure("list", "")
            close(listing)
            throw error
        }
        defer { closedir(stream) }
        var page = Page(after: cursor?.bytes ?? [], limit: limit)
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                let name = UnsafeRawBufferPointer(
                    start: pointer, count: strlen(UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self)))
                if !name.elementsEqual(".".utf8), !name.elementsEqual("..".utf8), isWanted(name) { page.add(name) }
            }
        }
        guard errno == 0 else { throw failure("list", "") }
        return page.names()
    }
}

/// The smallest of many names, in bounded memory: when twice as many as needed have been added, half of them are
/// dropped.
private struct Page {
    private let cursor: [UInt8]
    private let limit: Int
    private var found: [RawName] = []
    /// The last name of a full page; names after it are not needed.
    private var end: RawName?

    init(after cursor: [UInt8], limit: Int) {
        self.cursor = cursor
        self.limit = limit
    }

    mutating func add(_ name: UnsafeRawBufferPointer) {
        if !cursor.isEmpty, !cursor.lexicographicallyPrecedes(name) { return }
        if let end, end.bytes.lexicographicallyPrecedes(name) { return }
        found.append(RawName(bytes: Array(name)))
        if found.count >= 1024, found.count / 2 >= limit { shrink() }
    }

    private mutating func shrink() {
        found.sort()
        found.removeLast(max(0, found.count - limit))
        end = found.last
    }

    func names() -> [RawName] {
        Array(found.sorted().prefix(limit))
    }
}

extension timespec {
    /// The nanoseconds since the epoch; the last representable time, for a time after it.
    var nanoseconds: Int64 {
        let (whole, overflow) = Int64(tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : whole &+ Int64(tv_nsec)
    }
}
