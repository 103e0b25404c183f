import API
import Files
import Model
import Tree
import Uploads

/// Moves things that were dealt with to where a person finds them, each beside the document that says what became of
/// it.
///
/// The document comes first and takes the name: it replaces nothing, so that of two things of one name, put away in the
/// same moment, each has its own. A crash in between leaves a document that bears the thing's mark; it is found again.
struct Archiver {
    let folder: Directory
    /// The folder in which documents lie until they are whole.
    let staging: Directory
    /// Tells apart things of one name; put behind the name where it is taken. The documents bear it as `upload` or `mark`.
    let mark: String

    /// Moves `name`, and its sidecar if it has one, and writes `NAME.{kind}.json` beside it. What is not there was moved
    /// before: then it is done.
    ///
    /// - Parameter document: What is to be written beside the thing when it gets the name that is handed over.
    func put(_ name: String, from source: Directory, kind: String, document: (String) -> [UInt8]) throws {
        guard let entry = try source.entry(name) else { return }
        let sidecar = Sidecar.name(of: name)
        let hasText = try source.entry(sidecar)?.kind == .file
        for newName in [name, FileName.marked(name, with: mark)] {
            let documentName = FileName.document(of: newName, kind: kind)
            let textName = Sidecar.name(of: newName)
            if let copy = try folder.entry(newName) {
                guard copy.isLike(entry), try isOurs(documentName) else { continue }
                return try source.removeTree(name)  // A copy that a crash kept from being the only one.
            }
            let isTextThere = try hasText && folder.entry(textName) != nil
            if isTextThere, try !isOurs(documentName) { continue }  // It is another thing's.
            guard try take(documentName, with: document(newName)) else { continue }
            if isTextThere {
                try source.removeTree(sidecar)  // As above.
            } else if hasText {
                try source.bring(sidecar, to: folder, as: textName, via: ".\(mark).part")
            }
            return try source.bring(
                name, to: folder, as: newName, via: ".\(mark).part", isSpecial: entry.kind == .other)
        }
        throw FileError(.exists, "\(folder.path) has \(name) already", hint: "move that one away")
    }

    /// Writes the document as if `name` had been put, for a thing that is not kept, because a post has all of it; nothing
    /// where an earlier document says the same of that post.
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

    /// Writes the document, or finds that an earlier try of ours wrote it; false when it is about another thing.
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
    /// Whether one may be the other's copy, of what has its size in bytes.
    fileprivate func isLike(_ other: Self) -> Bool {
        kind == other.kind && (kind != .file || byteCount == other.byteCount)
    }
}

extension Directory {
    /// Moves `name` into another folder, by a copy where that is on another file system.
    ///
    /// - Parameter isSpecial: It is a link, a pipe or a device, of which there is no copy: it goes.
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

    /// The folder some levels down, made where it is missing; this one itself where a file is in the way of that.
    func deepest(below path: [String]) throws(FileError) -> Directory {
        do throws(FileError) {
            return try folder(below: path, create: true)
        } catch {
            guard error.code == .wrongKind else { throw error }
            return self
        }
    }
}

/// The document beside a file in `done/`: it names the post that the file became.
struct Receipt {
    let json: [UInt8]

    /// - Parameter isKept: Whether the file lies beside it; a duplicate need not be kept.
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
