import Blobs
import Foundation
import Logging
package import Posts
import Tree

/// How long what was dealt with stays where a person finds it; nil for ever.
package struct Retention: Sendable {
    /// Dropped files in `done/`, once the post has all their bytes.
    package var done: Duration?
    /// Dropped files in `failed/`: nobody may have another copy.
    package var failed: Duration?
    /// Uploads by HTTP in `failed/`: their senders were told, and have the photos.
    package var refused: Duration?

    package init(
        done: Duration? = .seconds(30 * 24 * 3600), failed: Duration? = nil,
        refused: Duration? = .seconds(30 * 24 * 3600)
    ) {
        self.done = done
        self.failed = failed
        self.refused = refused
    }
}

/// The documents beside things in `done/` and `failed/`, as far as they say what may be done with these.
private struct PutAwayDocument: Decodable {
    let file: String?
    let upload: String?
    let post: String?
    let source: String?
    let sha256: String?
    let kept: Bool?
}

extension UploadPipeline {
    private static let receipt = ".receipt.json"
    private static let reason = ".reason.json"
    /// How many names of a folder are held at a time.
    private static let pageSize = 100_000

    /// Deletes what has been in `done/` and `failed/` for its time, unless there is a ``sweepHold``.
    ///
    /// What a thing in `done/` consists of has to be in the blob store, byte for byte, or its post deleted: it may be the last
    /// copy otherwise.
    package func sweepPutAway() async throws {
        guard sweepHold == nil else { return }
        let retention = settings.retention
        if let lifetime = retention.done {
            let count = try await forEachDue(in: storage.done, Self.receipt, after: lifetime) { folder, document in
                try await isDispensable(document, in: folder)
            }
            if count > 0 { logger.info("deleted from done/ what posts have", metadata: ["things": "\(count)"]) }
        }
        if let shortest = [retention.failed, retention.refused].compactMap({ $0 }).min() {
            let count = try await forEachDue(in: storage.failed, Self.reason, after: shortest) { folder, document in
                let isRefused = document.source == nil && document.upload != nil
                guard let lifetime = isRefused ? retention.refused : retention.failed else { return false }
                let name = document.file.map { FileName.document(of: $0, kind: "reason") } ?? ""
                let entry = try await onFileThread { try folder.entry(name) }
                return entry.map { $0.isOlder(than: lifetime) } ?? false
            }
            if count > 0 { logger.info("deleted from failed/ what is old", metadata: ["things": "\(count)"]) }
        }
    }

    /// Deletes the copy in `done/` of a dropped file whose post was deleted, unless `done/` is kept for ever.
    func removeDoneCopy(of record: UploadRecord) async throws {
        guard settings.retention.done != nil, record.intake == .inbox,
            var path = record.source?.split(separator: "/").map(String.init), let name = path.popLast()
        else { return }
        let (done, id) = (storage.done, record.id.description)
        let folders = [record.owner.description] + path
        try await onFileThread {
            guard let folder = try? done.folder(below: folders) else { return }
            for name in [name, FileName.marked(name, with: id)] {
                let document = FileName.document(of: name, kind: "receipt")
                guard let receipt = try Self.read(document, in: folder), receipt.upload == id else { continue }
                try Self.remove(name, with: document, from: folder)
            }
        }
    }

    /// Whether the blob store has originals with these SHA-256, in this order, for a post that is there.
    package func hasOriginals(_ hashes: [String], of post: PostID) async throws -> Bool {
        guard let record = try await record(of: post), record.orderedPhotos.map(\.sha256) == hashes,
            try await tree.snapshot({ try $0.exists(Paths.post(post)) })
        else { return false }
        let blobs = storage.blobs
        return try await onFileThread {
            for photo in record.orderedPhotos {
                guard let file = try? blobs.open(record.blobName(photo.fileName)),
                    try file.sha256() == photo.sha256
                else { return false }
            }
            return true
        }
    }

    // MARK: -

    private func isDispensable(_ receipt: PutAwayDocument, in folder: Directory) async throws -> Bool {
        guard let name = receipt.file, let post = receipt.post.flatMap({ PostID($0) }) else { return false }
        let hashes = (receipt.sha256 ?? "").split(separator: " ").map(String.init)
        let isAsItWas = try await onFileThread { try Self.holds(name, nothingBut: Set(hashes), in: folder) }
        guard isAsItWas else { return false }
        if try await record(of: post)?.state == .deleted { return true }
        return try await hasOriginals(hashes, of: post)
    }

    /// Whether a thing that was put away consists of photos with these SHA-256, and of texts and hidden files; true as well
    /// when it is not there any more.
    private static func holds(
        _ name: String, nothingBut hashes: Set<String>, in folder: Directory
    ) throws(BlobError) -> Bool {
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

    /// Deletes things, with their texts and documents, whose documents are older than a lifetime, and of which `isToGo` says
    /// so.
    ///
    /// - Returns: How many there were.
    private func forEachDue(
        in folder: Directory, _ suffix: String, after lifetime: Duration, depth: Int = 0,
        isToGo: (Directory, PutAwayDocument) async throws -> Bool
    ) async throws -> Int {
        guard depth < 32 else { return 0 }
        var (count, cursor): (Int, RawName?) = (0, nil)
        while !Task.isEnding {
            let page = try await onFileThread { [cursor] in
                try folder.rawNames(after: cursor, limit: Self.pageSize)
            }
            for name in page.compactMap(\.text) where !name.hasPrefix(".") {
                let entry = try await onFileThread { try folder.entry(name) }
                if entry?.kind == .file, name.hasSuffix(suffix), entry?.isOlder(than: lifetime) == true {
                    guard let document = try await onFileThread({ try Self.read(name, in: folder) }),
                        let file = document.file, try await isToGo(folder, document)
                    else { continue }
                    try await onFileThread { try Self.remove(file, with: name, from: folder) }
                    count += 1
                } else if entry?.kind == .folder {
                    // A folder that is a thing of its own has a document beside it.
                    let inside = try await onFileThread {
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

    private static func read(_ name: String, in folder: Directory) throws(BlobError) -> PutAwayDocument? {
        guard try folder.entry(name)?.kind == .file else { return nil }
        return try? JSONDecoder().decode(
            PutAwayDocument.self, from: Data(try folder.file(name).readAll(maxBytes: 1 << 20)))
    }

    /// The document last: what is cut off is met again.
    private static func remove(_ name: String, with document: String, from folder: Directory) throws(BlobError) {
        try folder.removeTree(name)
        try folder.remove("\(name).json")
        try folder.remove(document)
        try folder.sync()
    }
}

extension Directory.Entry {
    /// Whether it has been as it is, under its name, for longer than that.
    fileprivate func isOlder(than lifetime: Duration) -> Bool {
        WallClock.milliseconds() - changedNanoseconds / 1_000_000 > lifetime.milliseconds
    }
}
