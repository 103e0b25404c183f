import CPlatform
import Failpoints
import Glibc

extension Directory {
    /// How many folders below one are worked through by recursion.
    static let maxDepth = 64

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

    /// Moves a name that need not be text to one that is, within this folder, replacing nothing. Durable when it returns.
    public func rename(_ name: RawName, to newName: String) throws(FileError) {
        try check(newName)
        let result = Failpoint.rename.around("\(path)/\(newName)") {
            name.withCString { cplatform_rename_noreplace(descriptor, $0, descriptor, newName) }
        }
        guard result == 0 else { throw FileError(errno: -result, doing: "rename \(path)/\(name.escaped)") }
        try sync()
    }

    /// Deletes all that is in the folder, not the folder.
    func removeContents() throws(FileError) {
        while try !removeContents(at: 0, below: self) {}
    }

    /// Deletes what is in the folder. Each level costs a descriptor and a piece of the stack, and folders can lie in each
    /// other as deep as anybody likes: those that lie too deep are moved up to the top, for another pass.
    ///
    /// - Returns: Whether that was all.
    private func removeContents(at depth: Int, below top: Directory) throws(FileError) -> Bool {
        var isAll = true
        for name in try rawNames() {
            var status = stat()
            guard name.withCString({ fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) }) == 0 else { continue }
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            if isFolder, depth == Self.maxDepth {
                try moveUp(name, to: top)
                isAll = false
                continue
            }
            if isFolder {
                let inside = name.withCString {
                    cplatform_openat(descriptor, $0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
                }
                guard inside >= 0 else { throw FileError(errno: -inside, doing: "open \(path)/\(name.escaped)") }
                let folder = Directory(descriptor: inside, path: "\(path)/\(name.escaped)")
                if try !folder.removeContents(at: depth + 1, below: top) { isAll = false }
            }
            let result = Failpoint.delete.around("\(path)/\(name.escaped)") {
                name.withCString { unlinkat(descriptor, $0, isFolder ? AT_REMOVEDIR : 0) }
            }
            guard result == 0 || errno == ENOENT else { throw failure("delete", name.escaped) }
        }
        return isAll
    }

    private func moveUp(_ name: RawName, to top: Directory) throws(FileError) {
        let newName = ".deep-\(UInt64.random(in: .min ... .max))"
        let result = Failpoint.rename.around("\(top.path)/\(newName)") {
            name.withCString { cplatform_rename_noreplace(descriptor, $0, top.descriptor, newName) }
        }
        guard result == 0 else { throw FileError(errno: -result, doing: "move up \(path)/\(name.escaped)") }
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
