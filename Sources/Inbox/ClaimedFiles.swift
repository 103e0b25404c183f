import Files
import Model
import Store
import Tree
import Uploads

/// The files of one inbox upload: their source, according to its record, and their location while they are ingested.
///
/// A claim is the folder `incoming/{id}/`; a file is claimed when it is renamed into this folder. If the inbox is on
/// another file system, a file is claimed when it is renamed to the hidden name `.{id}.claim` in its own folder; the
/// following steps (copy, fsync, comparison, deletion of the hidden file) can be repeated at will. All calls block.
struct ClaimedFiles: Sendable {
    /// The folder from which the files were claimed.
    let folder: InboxFolder
    /// The name of the claimed photo or folder `NAME.post`.
    let name: String
    private let storage: StorageFolder
    private let id: PostID
    /// Whether files are copied although they could be renamed: for tests.
    private let copies: Bool
    /// The sidecar under its new name, then the photo or folder, each with its hidden name for a claim that cannot be
    /// moved at once.
    private let names: [(name: String, hidden: String)]

    /// Creates the files of an upload; nil if its record names no source.
    init?(of record: UploadRecord, in storage: StorageFolder, copies: Bool) {
        var path = (record.source ?? "").split(separator: "/").map(String.init)
        guard let name = path.popLast() else { return nil }
        self.name = name
        self.storage = storage
        self.copies = copies
        id = record.id
        folder = InboxFolder(root: .user(record.owner), path: path)
        names = [
            (Sidecar.name(of: name), ".\(record.id)\(Sidecar.suffix).claim"), (name, ".\(record.id).claim"),
        ]
    }

    /// Returns the claim's folder, creating it if necessary.
    func claim() throws(FileError) -> Directory {
        try storage.incoming.folder(id.description, create: true)
    }

    // MARK: Claiming

    /// Moves the source and its sidecar into the claim. Files that are already there stay; repeated calls are harmless.
    func move() throws(FileError) {
        let claimed = try claim()
        guard let place = try? folder.open(in: storage.inbox) else { return }
        for (name, hidden) in names {
            if try claimed.entry(name) == nil, try place.entry(hidden) == nil {
                guard let found = try self.name(of: name, in: place) else { continue }
                do throws(FileError) {
                    if copies { throw FileError(.crossDevice, "") }
                    try place.move(found, to: claimed, as: name)
                } catch {
                    guard error.code == .crossDevice else { throw error }
                    try place.move(found, to: place, as: hidden)
                }
            }
            try fetch(hidden, from: place, to: claimed, as: name)
        }
    }

    /// Returns the name in the inbox for a name in the claim; nil if it does not exist.
    private func name(of claimed: String, in place: Directory) throws(FileError) -> String? {
        if claimed == name { return try place.entry(name) == nil ? nil : name }
        for document in SidecarNames.documents(of: name) where try place.entry(document)?.kind == .file {
            return document
        }
        return nil
    }

    /// Copies a file claimed on another file system, and deletes the source once the copy is durable.
    private func fetch(
        _ hidden: String, from place: Directory, to claimed: Directory, as name: String
    ) throws(FileError) {
        guard try place.entry(hidden) != nil else { return }
        if try claimed.entry(name) == nil { try place.copy(hidden, to: claimed, as: name, via: ".copy.part") }
        try place.removeTree(hidden)
        try place.sync()
    }

    // MARK: Putting back

    /// Moves the claimed files back into the inbox, under another name if their own exists by now.
    func putBack() throws(FileError) {
        let claimed = try claim()
        try? claimed.removeTree(".copy.part")
        let place = try storage.inbox.folder(below: folder.folders, create: true)
        let mark = id.description
        // The text is named after its photo, whichever files exist by now.
        let isTaken = try place.entry(self.name) != nil
        let freeName = isTaken ? FileName.marked(self.name, with: mark) : self.name
        for (name, hidden) in names {
            var freeName = name == self.name ? freeName : Sidecar.name(of: freeName)
            if try place.entry(freeName) != nil { freeName = FileName.marked(freeName, with: mark) }
            if try place.entry(hidden) != nil {
                try place.move(hidden, to: place, as: freeName)
                try claimed.removeTree(name)
            } else if try claimed.entry(name) != nil {
                try claimed.bring(name, to: place, as: freeName, via: hidden)
            }
        }
        try remove()
    }

    // MARK: Inspecting

    /// Whether the claim contains only photos with these names, in any order.
    func holdsNothing(but photos: [String]) throws(FileError) -> Bool {
        guard let entry = try storage.incoming.entry(id.description), entry.kind == .folder else { return false }
        let claimed = try storage.incoming.folder(entry.name)
        guard try claimed.names() == [name] else { return false }
        guard try claimed.entry(name)?.kind == .folder else { return photos == [name] }
        return try claimed.folder(name).names().sorted() == photos.sorted()
    }

    /// Returns the text of an XMP document in the photo's source folder; the document stays there.
    func xmpText() throws -> String {
        guard let place = try? folder.open(in: storage.inbox) else { return "" }
        for name in SidecarNames.xmp(of: name) where try place.entry(name)?.kind == .file {
            let text = try XMPText.description(in: place.file(name))
            if !text.isEmpty { return text }
        }
        return ""
    }

    /// Deletes the claim with all its files.
    func remove() throws(FileError) {
        try storage.incoming.removeTree(id.description)
    }
}
