import API
package import Files
import Uploads

extension FailedFiles {
    /// Moves an item back into the inbox, to its former path, with its text; replaces nothing. A photo that crashed its
    /// decoder is decoded again.
    ///
    /// - Throws: `FileError`: `exists` if the inbox has a file with its name, `not_found` if only the reason is left.
    package func retry(_ item: Item) throws(FileError) {
        let folder = try storage.folder(below: item.folders)
        guard try folder.entry(item.file) != nil else {
            throw FileError(.notFound, "\(item.title): only its reason is left", hint: "Drop it.")
        }
        var place = (item.reason.source ?? item.file).split(separator: "/").map(String.init)
        let former = place.popLast() ?? item.file
        if let user = item.reason.user { place.insert(user, at: 0) }
        let target = try storage.folder("inbox", create: true).folder(below: place, create: true)
        let name = item.reason.source == nil ? try Self.freeName(for: item, in: target) : former
        guard try target.entry(name) == nil else { throw taken(name, in: place) }
        if ErrorCode(named: item.reason.code).isPoison { try forgive(item.file, in: folder) }
        do throws(FileError) {
            try bring(item, from: folder, to: target, as: name)
        } catch {
            guard error.code == .exists else { throw error }
            guard name != former else { throw taken(name, in: place) }
            // A file of the sender's name has come meanwhile.
            try bring(item, from: folder, to: target, as: former)
        }
        try folder.remove(item.documentName)
    }

    /// Returns the name for an upload's photo in the inbox: the sender's, if it can be the name of a photo there and no
    /// file beside it would be taken for its text or its video; otherwise the name that the file has.
    static func freeName(for item: Item, in target: Directory) throws(FileError) -> String {
        guard let names = item.reason.photos?.names, names.count == 1, let name = names.first,
            FileName.isPlain(name), FileName.ending(of: name) == FileName.ending(of: item.file),
            !SidecarNames.isText(name), !IgnoredFiles.contains(name)
        else { return item.file }
        let stills = SidecarNames.isVideo(name) ? SidecarNames.stills(of: name) : []
        for other in [name] + SidecarNames.documents(of: name) + SidecarNames.xmp(of: name) + stills
        where try target.entry(other) != nil { return item.file }
        let hasVideo = try target.names().contains {
            SidecarNames.isVideo($0) && SidecarNames.stills(of: $0).contains(name)
        }
        return hasVideo ? item.file : name
    }

    /// Moves an item with its text. The text is moved first, because the photo could be claimed without it.
    private func bring(
        _ item: Item, from folder: Directory, to target: Directory, as name: String
    ) throws(FileError) {
        let (text, newText) = (Sidecar.name(of: item.file), Sidecar.name(of: name))
        let hasText = try folder.entry(text)?.kind == .file
        if hasText { try folder.bring(text, to: target, as: newText, via: Self.part(newText)) }
        do throws(FileError) {
            try folder.bring(item.file, to: target, as: name, via: Self.part(name))
        } catch {
            if hasText { try target.bring(newText, to: folder, as: text, via: Self.part(text)) }
            throw error
        }
    }

    /// Allows a photo, or those in a folder, to be decoded again although they crashed their decoder.
    ///
    /// - Parameter folder: The folder that contains it, in Storage or elsewhere.
    package func forgive(_ name: String, in folder: Directory) throws(FileError) {
        guard try folder.entry(name)?.kind == .folder else {
            return try DecodeRetry.give(folder.file(name).sha256(), in: storage)
        }
        let inside = try folder.folder(name)
        for entry in try inside.entries() where entry.kind == .file { try forgive(entry.name, in: inside) }
    }

    private static func part(_ name: String) -> String { ".\(FileName.shortened(name, to: 200)).retry.part" }

    private func taken(_ name: String, in place: [String]) -> FileError {
        FileError(
            .exists, "inbox/\((place + [name]).joined(separator: "/")) already exists",
            hint: "Wait until it is claimed, or rename it.")
    }
}
