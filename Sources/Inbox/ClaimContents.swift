import API
import Files
import Model
import Uploads

/// The contents of a claim's folder: photos in the order of their names, with their texts.
struct ClaimContents {
    struct Photo: Sendable {
        let name: String
        let folder: Directory

        /// Opens the file. Open one file at a time: a folder may contain more files than the process may have open.
        func open() throws(Failure) -> FileReader {
            do throws(FileError) { return try folder.file(name) } catch { throw Failure(error, about: name) }
        }
    }

    /// The photos in the order of their names; one more than the limit if there are too many.
    private(set) var photos: [Photo] = []
    private(set) var text = ""
    /// The alternative texts of the photos, in their order; may be fewer than the photos.
    private(set) var alts: [String] = []
    /// The audiences of the post; empty for everybody.
    private(set) var audiences: [AudienceID] = []
    /// Whether neither a photo nor a folder `NAME.post` exists.
    let isEmpty: Bool

    /// Reads the folder of a claim.
    ///
    /// - Throws: `Failure` that names the file that cannot be part of a post.
    init(_ folder: Directory, maxPhotos: Int) throws {
        let entries = try folder.entries().filter { !IgnoredFiles.contains($0.name) }
        let post = entries.first { $0.kind == .folder }
        isEmpty = entries.allSatisfy { $0.name.hasSuffix(Sidecar.suffix) }
        for entry in entries where post == nil || entry.name == post.map({ Sidecar.name(of: $0.name) }) {
            try add(entry.name, from: folder, isText: entry.name.hasSuffix(Sidecar.suffix))
        }
        guard let post else { return }
        let inside = try folder.folder(post.name)
        for raw in try inside.rawNames(limit: maxPhotos + 2, where: { !IgnoredFiles.contains($0) }) {
            guard let name = raw.text else {
                throw Failure(
                    .badName, "the name \(raw.escaped) is not UTF-8", hint: "Rename it.")
            }
            try add(name, from: inside, isText: name == Sidecar.nameInPostFolder)
        }
    }

    private mutating func add(_ name: String, from folder: Directory, isText: Bool) throws {
        let file = Photo(name: name, folder: folder)
        if isText {
            let sidecar = try Sidecar.read(file.open(), named: name)
            text = sidecar.text
            if !sidecar.audiences.isEmpty { audiences = sidecar.audiences }
            if !sidecar.alts.isEmpty { alts = sidecar.alts }
        } else {
            photos.append(file)
        }
    }
}
