import Files

/// The other files of a Storage folder that must be backed up: files in the inbox, files that were put aside, files
/// that became posts, and settings.
struct OtherFiles: Sendable {
    /// A file, by its path relative to the Storage folder.
    struct File: Sendable {
        let path: String
        let byteCount: Int
        /// The modification time, in nanoseconds since the epoch.
        let modified: Int64

        func open(in root: Directory) throws(FileError) -> FileReader {
            let names = path.split(separator: "/").map(String.init)
            return try root.folder(below: names.dropLast()).file(names.last ?? "")
        }
    }

    /// The maximum depth of nested folders; deeper ones are not backed up.
    private static let maxDepth = 64
    /// The names of files that are backed up separately, are unfinished, or belong to the running process.
    private static let left: Set<String> = [
        "backup.json", "blobs", "incoming", "lock", "restoring", "restoring.json", "tree.mark", "tree.reserve",
        "tree.sqlite", "tree.sqlite-shm", "tree.sqlite-wal",
    ]

    private let root: Directory

    init(in root: Directory) { self.root = root }

    /// Returns all files, in the order of a list.
    func all() async throws -> [File] {
        try await FileThreads.run { [root] () throws(FileError) in
            var files: [File] = []
            try Self.add(root, at: "", depth: 0, to: &files)
            return files
        }
    }

    private static func add(
        _ folder: Directory, at path: String, depth: Int, to files: inout [File]
    ) throws(FileError) {
        for entry in try folder.entries() {
            if depth == 0, left.contains(entry.name) { continue }
            switch entry.kind {
            case .file:
                files.append(
                    File(path: path + entry.name, byteCount: entry.byteCount, modified: entry.modifiedNanoseconds))
            case .folder where depth < maxDepth:
                do throws(FileError) {
                    try add(folder.folder(entry.name), at: "\(path)\(entry.name)/", depth: depth + 1, to: &files)
                } catch  where error.code == .notFound || error.code == .permission {
                    continue  // The file was deleted, or does not belong to the store.
                }
            case .folder, .other: continue
            }
        }
    }
}
