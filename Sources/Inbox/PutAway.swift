import Blobs
import Foundation
import Pipeline
import Posts
import Tree

/// Moving things that were dealt with to where a person finds them, each beside the document that says what became of it.
///
/// The document comes first and takes the name: it replaces nothing, so that of two things of one name, put away in the
/// same moment, each has its own. A crash in between leaves a document that bears the thing's mark; it is found again.
struct PutAway {
    let folder: Directory
    /// Tells apart things of one name; put behind the name where it is taken. The documents bear it as `upload` or `mark`.
    let mark: String

    /// Moves `name`, and its sidecar if it has one, and writes `NAME.{kind}.json` beside it. What is not there was moved
    /// before: then it is done.
    ///
    /// - Parameter document: What is to be written beside the thing when it gets the name that is handed over.
    func put(_ name: String, from source: Directory, kind: String, document: (String) -> [UInt8]) throws {
        guard try source.entry(name) != nil else { return }
        let sidecar = Sidecar.name(of: name)
        for newName in [name, marked(name)] where try folder.entry(newName) == nil {
            guard try take(FileName.shortened(newName) + ".\(kind).json", with: document(newName)) else { continue }
            if try source.entry(sidecar) != nil { try? source.move(sidecar, to: folder, as: Sidecar.name(of: newName)) }
            return try source.move(name, to: folder, as: newName)
        }
        throw BlobError(.exists, "\(folder.path) has \(name) already", hint: "move that one away")
    }

    /// Writes the document, or finds that an earlier try of ours wrote it; false when it is about another thing.
    private func take(_ documentName: String, with document: [UInt8]) throws -> Bool {
        struct Marks: Decodable {
            let upload: String?
            let mark: String?
        }
        do throws(BlobError) {
            try folder.writeNew(document, as: documentName, via: ".\(mark).part")
            return true
        } catch {
            guard error.code == .exists else { throw error }
        }
        let written = try folder.file(documentName).readAll(maxBytes: 1 << 20)
        let marks = try? JSONDecoder().decode(Marks.self, from: Data(written))
        return marks?.mark == mark || marks?.upload == mark
    }

    private func marked(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else {
            return FileName.shortened(name) + "." + mark
        }
        return FileName.shortened(String(name[..<dot])) + "." + mark + name[dot...].prefix(20)
    }
}

/// File names have at most 255 bytes.
enum FileName {
    /// Leaves room for what is put behind the name.
    static func shortened(_ name: String) -> String {
        var short = name
        while short.utf8.count > 180 { short.removeLast() }
        return short
    }
}

/// What lies beside a file in `done/`: the post that it became.
struct Receipt {
    let json: [UInt8]

    init(_ record: UploadRecord, file: String) {
        let isDuplicate = record.state == .duplicate
        let document: TreeValue = [
            "outcome": .string(record.state.rawValue), "upload": .string(record.id.description),
            "post": .string((record.duplicateOf ?? record.id).description),
            "user": .string(record.owner.description), "file": .string(file),
            isDuplicate ? "found_at" : "published_at": .integer(record.updatedAt),
            "sha256": .string(record.orderedPhotos.map(\.sha256).joined(separator: " ")),
        ]
        json = document.json(pretty: true) + [UInt8(ascii: "\n")]
    }
}
