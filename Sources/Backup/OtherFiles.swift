import Files

/// What is in a Storage folder beside its tree and its blobs, and is to be kept: what waits in the inbox, what was put aside, what
/// became posts, settings.
struct OtherFiles: Sendable {
    /// A file by its path from the Storage folder on.
    struct File: Sendable {
        let path: String
        let byteCount: Int
        /// Nanoseconds since the epoch.
        let modified: Int64

        func open(in root: Directory) throws(FileError) -> FileReader {
            let names = path.split(separator: "/").map(String.init)
            return try root.folder(below: names.dropLast()).file(names.last ?? "")
        }
    }

    /// How deep folders may lie in each other.
    private static let maxDepth = 64
    /// What is kept otherwise, is unfinished, or belongs to the process that works there.
    private static let left: Set<String> = [
        "blobs", "incoming", "lock", "restoring", "restoring.json", "tree.mark", "tree.reserve", "tree.sqlite",
        "tree.sqlite-shm", "tree.sqlite-wal",
    ]

    private let root: Directory

    init(in root: Directory) { self.root = root }

    /// All of them, in the order of a list.
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
                    continue  // It has gone, or is nobody's business here.
                }
            case .folder, .other: continue
            }
        }
    }
}
