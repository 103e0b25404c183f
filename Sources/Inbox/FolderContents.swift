import Files

/// The files in a folder and those below it. Links are not followed.
struct FolderContents {
    /// The largest number of entries that are counted, and the greatest depth; more are left out.
    private static let (maxEntries, maxDepth) = (10_000, InboxFolder.maxDepth)

    private(set) var fileCount = 0
    private(set) var byteCount = 0
    private var entryCount = 0

    /// Counts the files in a folder. What is deleted meanwhile is left out.
    init(of name: String, in parent: Directory) throws(FileError) {
        try count(name, in: parent, depth: 0)
    }

    private mutating func count(_ name: String, in parent: Directory, depth: Int) throws(FileError) {
        let names: [String]
        let folder: Directory
        do throws(FileError) {
            folder = try parent.folder(name)
            names = try folder.rawNames(limit: Self.maxEntries - entryCount).compactMap(\.text)
        } catch  where error.code == .notFound || error.code == .wrongKind {
            return
        }
        entryCount += names.count
        for name in names {
            guard let entry = try folder.entry(name) else { continue }
            switch entry.kind {
            case .file: (fileCount, byteCount) = (fileCount + 1, byteCount + entry.byteCount)
            case .folder where depth < Self.maxDepth: try count(name, in: folder, depth: depth + 1)
            case .folder, .other: continue
            }
        }
    }
}
