import API
import Files
import Logging
import Model
import Store
import Tree
import Uploads

/// The sweeper that deletes files in `done/` and `failed/` at the end of their retention.
struct ArchiveSweeper: Sendable {
    let storage: StorageFolder
    let index: PhotoIndex
    let retention: Retention
    let logger: Logger

    private static let receipt = ".receipt.json"
    private static let reason = ".reason.json"
    /// The number of a folder's names in memory at a time.
    private static let pageSize = 100_000

    /// Sweeps `done/` and `failed/`.
    ///
    /// The bytes of a file in `done/` must be in the blob store, or its post must be deleted; otherwise the file may be
    /// the last copy and is kept.
    func sweep() async throws {
        if let lifetime = retention.done {
            let count = try await forEachDue(in: storage.done, Self.receipt, after: lifetime) { folder, document in
                try await isDispensable(document, in: folder)
            }
            if count > 0 { logger.info("deleted published files from done/", metadata: ["things": "\(count)"]) }
        }
        if let shortest = [retention.failed, retention.refused].compactMap({ $0 }).min() {
            let count = try await forEachDue(in: storage.failed, Self.reason, after: shortest) { folder, document in
                let isRefused = document.source == nil && document.upload != nil
                guard let lifetime = isRefused ? retention.refused : retention.failed, let file = document.file
                else { return false }
                let entry = try await FileThreads.run {
                    try folder.entry(FileName.document(of: file, kind: "reason"))
                }
                return entry.map { $0.isOlder(than: lifetime, at: storage.clock()) } ?? false
            }
            if count > 0 { logger.info("deleted expired files from failed/", metadata: ["things": "\(count)"]) }
        }
    }

    /// Deletes the copy in `done/` of a dropped file whose post was deleted, unless `done/` is kept for ever.
    func removeCopy(of record: UploadRecord) async throws {
        guard retention.done != nil,
            var path = record.source?.split(separator: "/").map(String.init), let name = path.popLast()
        else { return }
        let (done, id) = (storage.done, record.id.description)
        let folders = [record.owner.description] + path
        try await FileThreads.run {
            guard let folder = try? done.folder(below: folders) else { return }
            for name in [name, FileName.marked(name, with: id)] {
                let document = FileName.document(of: name, kind: "receipt")
                guard let receipt = try ArchiveDocument.read(document, in: folder), receipt.upload == id else {
                    continue
                }
                try Self.remove(name, with: document, from: folder)
            }
        }
    }

    // MARK: -

    private func isDispensable(_ receipt: ArchiveDocument, in folder: Directory) async throws -> Bool {
        guard let name = receipt.file, let post = receipt.post.flatMap({ PostID($0) }) else { return false }
        let hashes = (receipt.sha256 ?? "").split(separator: " ").map(String.init)
        let isAsItWas = try await FileThreads.run { try Self.holds(name, nothingBut: Set(hashes), in: folder) }
        guard isAsItWas else { return false }
        if try await storage.tree.upload(post)?.state == .deleted { return true }
        return try await index.hasOriginals(hashes, of: post)
    }

    /// Whether an archived file or folder consists of photos with these SHA-256, texts and hidden files only;
    /// also true if it no longer exists.
    private static func holds(
        _ name: String, nothingBut hashes: Set<String>, in folder: Directory
    ) throws(FileError) -> Bool {
        guard let entry = try folder.entry(name) else { return true }
        switch entry.kind {
        case .file: return hashes.contains(try folder.file(name).sha256())
        case .other: return false
        case .folder: break
        }
        let inside = try folder.folder(name)
        for entry in try inside.entries() where !entry.name.hasPrefix(".") && entry.name != "post.json" {
            guard entry.kind == .file, hashes.contains(try inside.file(entry.name).sha256()) else { return false }
        }
        return true
    }

    /// Deletes archived files and folders, with their texts and documents, whose documents are older than a lifetime
    /// and for which `isToGo` returns true.
    ///
    /// - Returns: The number of deleted files and folders.
    private func forEachDue(
        in folder: Directory, _ suffix: String, after lifetime: Duration, depth: Int = 0,
        isToGo: (Directory, ArchiveDocument) async throws -> Bool
    ) async throws -> Int {
        guard depth < 32 else { return 0 }
        var (count, cursor): (Int, RawName?) = (0, nil)
        while !Task.isEnding {
            let page = try await FileThreads.run { [cursor] in
                try folder.rawNames(after: cursor, limit: Self.pageSize)
            }
            for name in page.compactMap(\.text) where !name.hasPrefix(".") {
                let entry = try await FileThreads.run { try folder.entry(name) }
                if entry?.kind == .file, name.hasSuffix(suffix),
                    entry?.isOlder(than: lifetime, at: storage.clock()) == true
                {
                    guard let document = try await FileThreads.run({ try ArchiveDocument.read(name, in: folder) }),
                        let file = document.file, try await isToGo(folder, document)
                    else { continue }
                    try await FileThreads.run { try Self.remove(file, with: name, from: folder) }
                    count += 1
                } else if entry?.kind == .folder {
                    // A folder that was archived as a whole has a document beside it.
                    let inside = try await FileThreads.run {
                        try folder.entry(FileName.document(of: name, kind: String(suffix.dropFirst().dropLast(5))))
                            == nil
                            ? folder.folder(name) : nil
                    }
                    guard let inside else { continue }
                    count += try await forEachDue(
                        in: inside, suffix, after: lifetime, depth: depth + 1, isToGo: isToGo)
                }
            }
            guard page.count == Self.pageSize else { break }
            cursor = page.last
        }
        return count
    }

    /// Deletes a file with its text and document; the document is last, so that an interrupted deletion is repeated.
    private static func remove(_ name: String, with document: String, from folder: Directory) throws(FileError) {
        try folder.removeTree(name)
        try folder.remove("\(name).json")
        try folder.remove(document)
        try folder.sync()
    }
}

extension Directory.Entry {
    /// Whether the file has been unchanged, under its name, for longer than a lifetime.
    fileprivate func isOlder(than lifetime: Duration, at now: Timestamp) -> Bool {
        now - Timestamp(milliseconds: changedNanoseconds / 1_000_000) > lifetime
    }
}
