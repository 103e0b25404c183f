import Glibc

extension Directory {
    /// What stands behind a name, without following links.
    public enum Kind: Sendable {
        case file, folder, other
    }

    /// Which folder or file something is, whatever it is called: its number, and that of its file system.
    public struct Identity: Sendable, Hashable {
        fileprivate let device: UInt64
        fileprivate let inode: UInt64
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

        /// Which folder or file has the name now; a mount that lies over it counts as another.
        public var identity: Identity { Identity(device: device, inode: inode) }
    }

    /// The names in the folder with what they are, in byte order. What vanishes meanwhile is left out.
    public func entries() throws(FileError) -> [Entry] {
        var entries: [Entry] = []
        for name in try names() {
            if let entry = try entry(name) { entries.append(entry) }
        }
        return entries
    }

    /// What stands behind one name, `.` for the folder itself; nil when nothing does, nor can because the name is too long.
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

    /// The names in the folder, in byte order; those that are no UTF-8 are left out.
    public func names() throws(FileError) -> [String] {
        try rawNames().compactMap(\.text)
    }

    /// A page of a folder of any length: the first `limit` names in byte order after `cursor`, in memory for about twice
    /// as many. Costs one pass over the folder.
    ///
    /// - Parameter isWanted: Whether a name counts at all; sees it for the length of the call.
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

/// The smallest names of many, in bounded memory: when twice as many as are wanted have come, half of them go.
private struct Page {
    private let cursor: [UInt8]
    private let limit: Int
    private var found: [RawName] = []
    /// When the page is full, what is beyond it.
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
    /// Nanoseconds since the epoch; the last moment that can be counted for what is beyond it.
    var nanoseconds: Int64 {
        let (whole, overflow) = Int64(tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : whole &+ Int64(tv_nsec)
    }
}
