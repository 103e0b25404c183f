import Files

/// The position of a walk in a folder of blobs, with the lists that have been read and not yet returned: each folder is
/// read once, however many pages there are.
struct LocalBlobWalk: Sendable {
    private let root: Directory
    private let detail: BlobWalk.Detail
    /// The path after which the walk began.
    private let after: String?
    private var users: ArraySlice<String> = []
    private var user: (id: String, folder: Directory)?
    private var posts: ArraySlice<String> = []
    private var files: ArraySlice<BlobEntry> = []
    /// The strays that were found, and are returned with the next page.
    private var strays: [String] = []

    /// Starts a walk. Blocks.
    init(_ walk: BlobWalk, in root: Directory) throws(FileError) {
        (self.root, detail, after) = (root, walk.detail, walk.after)
        guard let userID = walk.userID else {
            try listUsers()
            return
        }
        guard let postID = walk.postID else {
            users = [userID]
            return
        }
        user = try Self.folder(userID, in: root).folder.map { (userID, $0) }
        if user != nil { posts = [postID] }
    }

    /// Continues until a page is full. Blocks.
    ///
    /// - Returns: Whether the walk is at its end.
    mutating func fill(_ page: inout BlobPage, upTo limit: Int) throws(FileError) -> Bool {
        defer {
            page.strays += strays
            strays = []
        }
        while page.entries.count < limit {
            if let file = files.popFirst() {
                page.entries.append(file)
            } else if let user, let post = posts.popFirst() {
                if detail == .posts {
                    page.entries.append(BlobEntry(userID: user.id, postID: post))
                } else {
                    try listFiles(of: post, of: user.id, in: user.folder)
                }
            } else if let next = users.popFirst() {
                if detail == .users { page.entries.append(BlobEntry(userID: next)) } else { try listPosts(of: next) }
            } else {
                return true
            }
        }
        return files.isEmpty && posts.isEmpty && users.isEmpty
    }

    private mutating func listUsers() throws(FileError) {
        var found: [String] = []
        for entry in try root.entries() where !LocalBlobStore.ownNames.contains(entry.name) {
            if entry.kind == .folder, BlobName.isValid(entry.name) {
                found.append(entry.name)
            } else {
                note(stray: entry.name)
            }
        }
        users = inOrder(found, below: "")
    }

    private mutating func listPosts(of userID: String) throws(FileError) {
        (user, posts) = (nil, [])
        guard let folder = try Self.folder(userID, in: root).folder else { return }
        user = (userID, folder)
        let prefix = "\(userID)/"
        posts = inOrder(try names(in: folder, prefix).found, below: prefix)
    }

    private mutating func listFiles(
        of postID: String, of userID: String, in userFolder: Directory
    ) throws(FileError) {
        let (opened, isOther) = try Self.folder(postID, in: userFolder)
        if isOther { note(stray: "\(userID)/\(postID)") }
        guard let folder = opened else { return }
        let prefix = "\(userID)/\(postID)/"
        var entries: [BlobEntry] = []
        let (found, isEmpty) = try names(in: folder, prefix)
        if isEmpty { note(stray: "\(userID)/\(postID)") }
        for name in found where isBehind(prefix + name) {
            var byteCount: Int?
            if detail == .sizes {
                // The file may have been deleted since the list was read.
                guard let entry = try folder.entry(name) else { continue }
                byteCount = entry.byteCount
            }
            entries.append(BlobEntry(userID: userID, postID: postID, fileName: name, byteCount: byteCount))
        }
        files = entries[...]
    }

    /// The names in a folder that may be part of a blob's name, in byte order; other names are recorded as strays.
    private mutating func names(
        in folder: Directory, _ prefix: String
    ) throws(FileError) -> (found: [String], isEmpty: Bool) {
        var found: [String] = []
        let names = try folder.names()
        for name in names {
            if BlobName.isValid(name) { found.append(name) } else { note(stray: prefix + name) }
        }
        return (found, names.isEmpty)
    }

    /// Returns the names of folders in the order of the paths below them, without those that the walk has passed.
    private func inOrder(_ names: [String], below prefix: String) -> ArraySlice<String> {
        let isLast = detail == (prefix.isEmpty ? .users : .posts)
        let paths = names.map { "\(prefix)\($0)/" }.filter { path in
            isBehind(path) || (!isLast && after?.hasPrefix(path) == true)
        }
        return paths.sorted().map { String($0.dropFirst(prefix.count).dropLast()) }[...]
    }

    private func isBehind(_ path: @autoclosure () -> String) -> Bool { after.map { path() > $0 } ?? true }

    private mutating func note(stray path: String) { if isBehind(path) { strays.append(path) } }

    /// Opens a folder in another one; nil if it is missing or not a folder.
    private static func folder(
        _ name: String, in parent: Directory
    ) throws(FileError) -> (folder: Directory?, isOther: Bool) {
        do throws(FileError) {
            return (try parent.folder(name), false)
        } catch  where error.code == .notFound {
            return (nil, false)
        } catch  where error.code == .wrongKind {
            return (nil, true)
        }
    }
}
