package import API
package import Files
import Foundation
package import TreeModel
import Uploads

/// The files that could not become posts, in `failed/REASON/USER/…`. The folder is the list, whether or not the service
/// runs.
package struct FailedFiles: Sendable {
    /// A file or folder that was put aside, with its document.
    package struct Item: Sendable {
        /// The path relative to `failed/`, by which people refer to it.
        package let path: String
        /// The size in bytes, of a folder that of the files in it; nil if the item no longer exists.
        package let byteCount: Int?
        /// The number of files in a folder; nil for anything else.
        package let fileCount: Int?
        package let reason: Reason
        let folders: [String]
        let file: String
        let documentName: String

        /// The path, behind the sender's name if that is another one.
        package var title: String { path.hasSuffix("/" + name) ? path : "\(name) (\(path))" }

        /// Whether its sender gave it this name, alone or as one of several photos.
        package func isSent(as name: String) -> Bool { reason.photos?.names.contains(name) ?? false }

        /// The item as a document for programs.
        package var document: FailedFileDocument {
            var document = FailedFileDocument(
                path: path, file: file, name: name, code: reason.code, message: reason.message, hint: reason.hint,
                failedAt: reason.failedAt.milliseconds)
            (document.user, document.upload, document.source) = (reason.user, reason.upload, reason.source)
            (document.attempts, document.bytes) = (reason.attempts, byteCount)
            return document
        }

        /// The name by which its sender knows it: the path in the inbox, or the names of the photos of an upload.
        private var name: String {
            if let source = reason.source { return source }
            let names = reason.photos?.names ?? []
            return names.isEmpty ? file : names.joined(separator: ", ")
        }
    }

    /// The sender's names of the photos of an upload, in the order of the post.
    package struct SentNames: Decodable, Sendable {
        let names: [String]

        /// Reads the names. A value that is not a list of texts has none, so that the rest of the document can be read.
        package init(from decoder: any Decoder) throws {
            names = ((try? [String?](from: decoder)) ?? []).compactMap(\.self).filter { !$0.isEmpty }
        }
    }

    /// The document `NAME.reason.json`.
    package struct Reason: Decodable, Sendable {
        package let code: String
        package let message: String
        package let hint: String
        package let file: String?
        package let source: String?
        package let user: String?
        package let upload: String?
        package let attempts: Int?
        package let photos: SentNames?
        /// The time of the failure.
        package let failedAt: Timestamp

        private enum CodingKeys: String, CodingKey {
            case code, message, hint, file, source, user, upload, attempts, photos
            case failedAt = "failed_at"
        }
    }

    private static let suffix = ".reason.json"
    private static let maxDepth = InboxFolder.maxDepth + 2

    let storage: Directory

    /// Opens a Storage folder, without its lock, because the service may be running.
    ///
    /// - Throws: `FileError`, `not_found` if it does not exist.
    package init(storage path: String) throws(FileError) {
        storage = try Directory(path: path)
    }

    /// Returns the items, ordered by reason, user and name.
    ///
    /// - Parameter reason: The failure to list; nil for all.
    /// - Parameter user: The user whose items are listed; nil for all.
    package func items(reason: String? = nil, user: String? = nil) throws(FileError) -> [Item] {
        guard try storage.entry("failed") != nil else { return [] }
        var items: [Item] = []
        try collect(["failed"], reason, user, into: &items)
        return items
    }

    /// Returns the reasons of the items: the names of the folders in `failed/`.
    package func reasons() throws(FileError) -> [String] {
        guard try storage.entry("failed") != nil else { return [] }
        return try storage.folder("failed").entries().filter { $0.kind == .folder }.map(\.name)
    }

    /// Returns the numbers of items by their reason, which is the name of their folder. Documents are counted, not read.
    func counts() throws(FileError) -> [String: Int] {
        guard try storage.entry("failed") != nil else { return [:] }
        var counts: [String: Int] = [:]
        for entry in try storage.folder("failed").entries() where entry.kind == .folder {
            let count = try Self.countDocuments(in: storage.folder(below: ["failed", entry.name]), depth: 2)
            // Other folders are an operator's, whose names must not become labels.
            let isReason = ErrorCode(rawValue: entry.name) != nil
            counts[isReason ? entry.name : "other", default: 0] += count
        }
        return counts
    }

    private static func countDocuments(in folder: Directory, depth: Int) throws(FileError) -> Int {
        var count = 0
        for entry in try folder.entries() where !entry.name.hasPrefix(".") {
            if entry.kind == .file, entry.name.hasSuffix(suffix) { count += 1 }
            guard entry.kind == .folder, depth < maxDepth else { continue }
            do throws(FileError) {
                count += try countDocuments(in: folder.folder(entry.name), depth: depth + 1)
            } catch  where error.code == .notFound || error.code == .wrongKind {
                continue  // It was deleted or replaced meanwhile.
            }
        }
        return count
    }

    /// Returns the item with a path from the list; nil if it does not exist.
    ///
    /// Each part of the path is the name of a folder or a file below `failed/`; no other names are opened, and links
    /// are not followed.
    package func item(at path: String) throws(FileError) -> Item? {
        var folders = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard folders.allSatisfy(Self.isName), let file = folders.popLast(), !folders.isEmpty,
            folders.count <= Self.maxDepth
        else { return nil }
        folders.insert("failed", at: 0)
        var folder = storage
        for name in folders {
            guard try folder.entry(name)?.kind == .folder else { return nil }
            folder = try folder.folder(name)
        }
        if let item = try item(FileName.document(of: file, kind: "reason"), in: folder, folders), item.file == file {
            return item
        }
        for name in try folder.names() where name.hasSuffix(Self.suffix) && !name.hasPrefix(".") {
            if let item = try item(name, in: folder, folders), item.file == file { return item }
        }
        return nil
    }

    /// Whether a text can be the name of a file in a folder.
    private static func isName(_ text: String) -> Bool {
        !["", ".", ".."].contains(text) && !text.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
    }

    /// Opens the photo of an item, or the first one in its folder.
    ///
    /// - Throws: `FileError`, `not_found` if there is none.
    package func open(_ item: Item) throws(FileError) -> FileReader {
        let folder = try storage.folder(below: item.folders)
        switch try folder.entry(item.file)?.kind {
        case .file: return try folder.file(item.file)
        case .folder: break
        case .other, nil: throw FileError(.notFound, "\(item.title) is no longer a file", hint: "Drop it.")
        }
        let inside = try folder.folder(item.file)
        for entry in try inside.entries() where entry.kind == .file && !entry.name.hasSuffix(Sidecar.suffix) {
            return try inside.file(entry.name)
        }
        throw FileError(.notFound, "\(item.title) contains no photo", hint: "Drop it.")
    }

    private func collect(
        _ folders: [String], _ reason: String?, _ user: String?, into items: inout [Item]
    ) throws(FileError) {
        let folder = try storage.folder(below: folders)
        var things: Set<String> = []
        for name in try folder.names() where name.hasSuffix(Self.suffix) && !name.hasPrefix(".") {
            guard let item = try item(name, in: folder, folders) else { continue }
            things.insert(item.file)
            items.append(item)
        }
        let wanted = folders.count == 1 ? reason : folders.count == 2 ? user : nil
        guard folders.count <= Self.maxDepth else { return }
        for entry in try folder.entries() where entry.kind == .folder && !things.contains(entry.name) {
            if wanted == nil || wanted == entry.name { try collect(folders + [entry.name], reason, user, into: &items) }
        }
    }

    private func item(_ name: String, in folder: Directory, _ folders: [String]) throws(FileError) -> Item? {
        guard let entry = try folder.entry(name), entry.kind == .file else { return nil }
        let bytes = try folder.file(name).readAll(maxBytes: 1 << 20)
        let reason =
            (try? JSONDecoder().decode(Reason.self, from: Data(bytes)))
            ?? Reason(
                code: "unknown", message: "\(name) is not a document of this service", hint: "Inspect it.", file: nil,
                source: nil, user: folders.count > 2 ? folders[2] : nil, upload: nil, attempts: nil, photos: nil,
                failedAt: .epoch)
        let file = reason.file ?? String(name.dropLast(Self.suffix.count))
        guard !file.isEmpty, !file.contains("/"), file != ".", file != ".." else { return nil }
        let thing = try folder.entry(file)
        let contents = thing?.kind == .folder ? try FolderContents(of: file, in: folder) : nil
        return Item(
            path: (folders.dropFirst() + [file]).joined(separator: "/"),
            byteCount: contents?.byteCount ?? (thing?.kind == .file ? thing?.byteCount : nil),
            fileCount: contents?.fileCount, reason: reason, folders: folders, file: file, documentName: name)
    }

    /// Deletes an item with its text and its reason.
    package func drop(_ item: Item) throws(FileError) {
        let folder = try storage.folder(below: item.folders)
        try folder.removeTree(item.file)
        try folder.remove(Sidecar.name(of: item.file))
        try folder.remove(item.documentName)
        try folder.sync()
    }
}
