import API
import Files
import Model
import Tree
import Uploads

/// The mover of finished files to `done/` and `failed/`, where people find them beside a document with the result.
///
/// The document is written first and reserves the name, because it replaces nothing: two files of one name that are
/// archived at the same time each get their own. A crash in between leaves a document with the file's mark, by which it
/// is found again.
struct Archiver {
    let folder: Directory
    /// The folder in which documents are staged.
    let staging: Directory
    /// The identifier that distinguishes files of one name, and is added to the name if that exists. Documents contain
    /// it as `upload` or `mark`.
    let mark: String

    /// Moves `name`, and its sidecar if it has one, and writes `NAME.{kind}.json` beside it. Does nothing if `name`
    /// does not exist, because it was moved before.
    ///
    /// - Parameter document: Returns the document for the name that the file gets.
    func put(_ name: String, from source: Directory, kind: String, document: (String) -> [UInt8]) throws {
        guard let entry = try source.entry(name) else { return }
        let sidecar = Sidecar.name(of: name)
        let hasText = try source.entry(sidecar)?.kind == .file
        for newName in [name, FileName.marked(name, with: mark)] {
            let documentName = FileName.document(of: newName, kind: kind)
            let textName = Sidecar.name(of: newName)
            if let copy = try folder.entry(newName) {
                guard copy.isLike(entry), try isOurs(documentName) else { continue }
                return try source.removeTree(name)  // The source was copied before a crash, and not deleted.
            }
            let isTextThere = try hasText && folder.entry(textName) != nil
            if isTextThere, try !isOurs(documentName) { continue }  // It belongs to another file.
            guard try take(documentName, with: document(newName)) else { continue }
            if isTextThere {
                try source.removeTree(sidecar)  // As above.
            } else if hasText {
                try source.bring(sidecar, to: folder, as: textName, via: ".\(mark).part")
            }
            return try source.bring(
                name, to: folder, as: newName, via: ".\(mark).part", isSpecial: entry.kind == .other)
        }
        throw FileError(.exists, "\(folder.path) already has \(name)", hint: "Move that one away.")
    }

    /// Writes the document as if `name` had been moved, for a file that is not kept because a post contains all of it.
    /// Does nothing if an earlier document names the same post.
    func note(_ name: String, kind: String, of post: String, document: (String) -> [UInt8]) throws {
        for newName in [name, FileName.marked(name, with: mark)] {
            let documentName = FileName.document(of: newName, kind: kind)
            if let earlier = try ArchiveDocument.read(documentName, in: folder),
                earlier.post == post || earlier.upload == mark
            {
                return
            }
            guard try folder.entry(newName) == nil, try take(documentName, with: document(newName)) else { continue }
            return
        }
    }

    /// Writes the document, unless an earlier attempt has written it; false if an existing document belongs to another
    /// file.
    private func take(_ documentName: String, with document: [UInt8]) throws -> Bool {
        do throws(FileError) {
            try folder.writeNew(document, as: documentName, staging: staging)
            return true
        } catch {
            guard error.code == .exists else { throw error }
        }
        return try isOurs(documentName)
    }

    private func isOurs(_ documentName: String) throws -> Bool {
        guard let document = try ArchiveDocument.read(documentName, in: folder) else { return false }
        return document.mark == mark || document.upload == mark
    }
}

extension Directory.Entry {
    /// Whether one may be a copy of the other, by the kind and the size in bytes.
    fileprivate func isLike(_ other: Self) -> Bool {
        kind == other.kind && (kind != .file || byteCount == other.byteCount)
    }
}

extension Directory {
    /// Moves `name` into another folder, by a copy if that is on another file system.
    ///
    /// - Parameter isSpecial: Whether it is a link, a pipe or a device, which is deleted instead of copied.
    func bring(
        _ name: String, to target: Directory, as newName: String, via temporaryName: String, isSpecial: Bool = false
    ) throws(FileError) {
        do throws(FileError) {
            return try move(name, to: target, as: newName)
        } catch {
            guard error.code == .crossDevice else { throw error }
        }
        if !isSpecial { try copy(name, to: target, as: newName, via: temporaryName) }
        try removeTree(name)
        try sync()
    }

    /// Returns a subfolder several levels down, creating it if necessary; this folder itself if a file is in the way.
    func deepest(below path: [String]) throws(FileError) -> Directory {
        do throws(FileError) {
            return try folder(below: path, create: true)
        } catch {
            guard error.code == .wrongKind else { throw error }
            return self
        }
    }
}

/// The document beside a file in `done/`, which names the post that was created from the file.
struct Receipt {
    let json: [UInt8]

    /// - Parameter isKept: Whether the file is kept beside it; a duplicate need not be.
    init(_ record: UploadRecord, file: String, isKept: Bool = true) {
        let isDuplicate = record.state == .duplicate
        var document: [TreeKey: TreeValue] = [
            "outcome": .string(record.state.rawValue), "upload": .string(record.id.description),
            "post": .string((record.duplicateOf ?? record.id).description),
            "user": .string(record.owner.description), "file": .string(file),
            isDuplicate ? "found_at" : "published_at": record.updatedAt.value,
            "sha256": .string(record.orderedPhotos.map(\.sha256).joined(separator: " ")),
        ]
        if !isKept { document["kept"] = false }
        json = TreeValue.object(document).json(pretty: true) + [UInt8(ascii: "\n")]
    }
}
