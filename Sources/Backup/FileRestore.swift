import API
import Concurrency
import Files
import Keeping
import Model
import Store
import Tree

/// The restoration of the files of the blob store that a tree names.
struct FileRestore {
    private static let width = 4
    /// The number of files that are processed together.
    private static let page = 256

    let tree: TreeStore
    let source: any BackupSource
    let blobs: BulkFolder
    /// Whether the folder has no files yet; otherwise existing files are compared.
    var isNew: Bool

    /// Restores the files of one backup.
    mutating func run(_ state: BackupState, _ progress: inout BackupProgress) async throws {
        let garbage = GarbageNames()
        try await tree.snapshot { try garbage.update(in: $0) }
        var list = source.list(state.blobs, skipsDamaged: true)
        var (folder, lines): (String, [FileLine]) = ("", [])
        while let line = try await list.next() {
            let next = line.names.prefix(2).joined(separator: "/")
            if next != folder, lines.count >= Self.page {
                try await restore(lines, garbage, &progress)
                lines = []
            }
            folder = next
            lines.append(line)
        }
        try await restore(lines, garbage, &progress)
        for finding in list.findings { try await progress.note(finding) }
    }

    private func restore(
        _ lines: [FileLine], _ garbage: GarbageNames, _ progress: inout BackupProgress
    ) async throws {
        let wanted = try await wanted(lines, garbage)
        try await forEachConcurrently(wanted, concurrency: source is ArchiveReader ? 1 : Self.width) {
            line -> (FileLine, Outcome) in
            (line, try await restore(line))
        } _: { line, outcome in
            progress.count(line)
            switch outcome {
            case .there: return
            case .copied: progress.countCopy(line)
            case .damaged(let message): try await progress.note(try finding(about: line, message))
            }
        }
        try await progress.advance(by: lines.count)
    }

    private enum Outcome: Sendable {
        case there, copied
        case damaged(String)
    }

    private func restore(_ line: FileLine) async throws -> Outcome {
        try Task.checkCancellation()
        let path = line.names
        if !isNew {
            let isThere = try await FileThreads.run { [blobs] () throws in
                guard try blobs.contains(path) else { return false }
                return try blobs.root.folder(below: path.dropLast()).file(path.last ?? "").sha256() == line.sha256
            }
            if isThere { return .there }
        }
        let range: FileRange
        do {
            range = try await source.blob(line)
        } catch let error as Failure where error.code == .backupDamaged {
            return .damaged(error.message)
        }
        let copy = try await FileThreads.run { [blobs] () throws(FileError) in try blobs.copy(range, to: path) }
        return copy.sha256 == line.sha256
            ? .copied : .damaged("the bytes of the backup's copy differ from those that were stored")
    }

    /// Returns the files that the tree names; the others were added after it was read, or were garbage at that time.
    private func wanted(_ lines: [FileLine], _ garbage: GarbageNames) async throws -> [FileLine] {
        try await tree.snapshot { snapshot in
            var claims: [String: Set<String>] = [:]
            return try lines.filter { line in
                let names = line.names
                guard names.count == 3, let id = PostID(names[1]) else { return false }
                if garbage.contains(line.path) { return true }
                let folder = "\(names[0])/\(names[1])"
                let claimed =
                    try claims[folder]
                    ?? Set(FolderClaims(of: id, owner: names[0], asIfAtRest: true, in: snapshot).byName.keys)
                claims[folder] = claimed
                return claimed.contains(names[2])
            }
        }
    }

    private func finding(about line: FileLine, _ message: String) throws -> FindingDocument {
        let isOriginal = line.names.last?.hasPrefix("original") ?? false
        return FindingDocument(
            isOriginal ? .originalDamaged : .renditionDamaged, path: "blobs/\(line.path)",
            post: line.names.count > 1 ? line.names[1] : nil, message: message)
    }
}
