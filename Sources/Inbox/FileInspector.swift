import API
import Files
import Keeping
import Model

/// The decision about one name in the inbox: its kind, and whether it is complete.
struct FileInspector {
    /// The result of a look at one name.
    enum Finding: Sendable {
        case candidate(Candidate)
        case rejected(RejectedFile)
        /// A user's folder or a subfolder, whose contents must be looked at.
        case folder(InboxFolder)
        /// A text, or the video of a Live Photo, without its photo, which may have been claimed already.
        case late(Candidate)
        /// An incomplete file. It is looked at again `after` so many nanoseconds; nil if an event will report its
        /// completion.
        case unfinished(name: String, after: Int64?)
        /// A name that does not concern the inbox, or no longer exists.
        case nothing
    }

    let folder: Directory
    let place: InboxFolder
    let stability: FileStability
    let maxPhotos: Int

    /// Looks at a name.
    ///
    /// - Throws: `FileError` if the folder cannot be used.
    func look(at raw: RawName, hint: InboxEvents.Kind = .seen) throws(FileError) -> Finding {
        if IgnoredFiles.contains(raw.bytes) { return .nothing }
        guard let name = raw.text else { return try look(at: plain(raw)) }
        guard let entry = try folder.entry(name) else { return .nothing }
        if place.root == .inbox { return try lookAtTop(entry, hint) }
        switch entry.kind {
        case .other: return rejected(entry, .wrongKind, "is a link, a pipe or a device", "Put the photo itself there.")
        case .file: return try look(atFile: entry, hint)
        case .folder where entry.name.hasSuffix(Sidecar.postFolderSuffix): return try look(atPost: entry, hint)
        case .folder where place.path.count < InboxFolder.maxDepth:
            return .folder(InboxFolder(root: place.root, path: place.path + [name]))
        case .folder:
            guard stability.isQuiet(entry) else { return unfinished(entry) }
            return rejected(
                entry, .tooDeep, "is more than \(InboxFolder.maxDepth) folders deep", "Move it further up.")
        }
    }

    /// Renames a file whose name is not UTF-8, each invalid byte becoming `%XX`, so that it can be handled like others.
    private func plain(_ raw: RawName) throws(FileError) -> RawName {
        var name = FileName.shortened(raw.escaped, to: 200)
        if try folder.entry(name) != nil { name += ".\(UInt64.random(in: .min ... .max))" }
        // The text is renamed first, or the photo would be claimed without it.
        do throws(FileError) {
            try folder.rename(raw.appending(Sidecar.suffix), to: Sidecar.name(of: name))
        } catch  where [.notFound, .exists, .badName].contains(error.code) {}
        try folder.rename(raw, to: name)
        return RawName(name)
    }

    /// Inspects an entry of the inbox itself: users' folders belong there, and other files are misplaced.
    private func lookAtTop(_ entry: Directory.Entry, _ hint: InboxEvents.Kind) throws(FileError) -> Finding {
        if entry.kind == .folder {
            if let user = UserID(entry.name) { return .folder(InboxFolder(root: .user(user))) }
            guard stability.isQuiet(entry) else { return unfinished(entry) }
            return rejected(
                entry, .badUser, "is not a user id", "Name the folder with 1 to 128 letters, digits, - or _.")
        }
        if entry.kind == .file, let finding = try wait(for: entry, hint) { return finding }
        return rejected(entry, .badUser, "is outside of a user's folder", "Put it into inbox/USER/.")
    }

    private func look(atFile entry: Directory.Entry, _ hint: InboxEvents.Kind) throws(FileError) -> Finding {
        if Sidecar.photoName(of: entry.name) != nil { return try look(atDocument: entry) }
        guard entry.linkCount == 1 else { return linked(entry) }
        if SidecarNames.isVideo(entry.name) {
            // The video of a Live Photo is ignored.
            for still in SidecarNames.stills(of: entry.name) where try folder.entry(still) != nil { return .nothing }
        }
        if let finding = try wait(for: entry, hint) { return finding }
        if SidecarNames.isVideo(entry.name), let owner = place.owner {
            return .late(Candidate(owner: owner, place: place, name: entry.name))
        }
        return try candidate(entry)
    }

    private func look(atDocument entry: Directory.Entry) throws(FileError) -> Finding {
        // The document is claimed with its photo.
        for photo in SidecarNames.photos(of: entry.name) where try folder.entry(photo) != nil { return .nothing }
        if let start = SidecarNames.photoPrefix(of: entry.name) {
            let names = try folder.rawNames(limit: 2) { $0.starts(with: start.utf8) }
            if names.contains(where: { $0.text.map { Sidecar.photoName(of: $0) == nil } ?? false }) { return .nothing }
        }
        // The photo may arrive soon.
        guard stability.isQuiet(entry) else { return unfinished(entry) }
        guard let owner = place.owner else { return .nothing }
        return .late(Candidate(owner: owner, place: place, name: entry.name))
    }

    /// Inspects a folder `NAME.post`. It is complete once it was moved in or has been unchanged for the quiet time, and
    /// all its files are complete.
    private func look(atPost entry: Directory.Entry, _ hint: InboxEvents.Kind) throws(FileError) -> Finding {
        guard hint == .moved || stability.isQuiet(entry) else { return unfinished(entry) }
        let inside = try folder.folder(entry.name)
        let names = try inside.rawNames(limit: maxPhotos + 2) { !IgnoredFiles.contains($0) }
        let look = FileInspector(
            folder: inside, place: InboxFolder(root: place.root, path: place.path + [entry.name]),
            stability: stability, maxPhotos: maxPhotos)
        for raw in names {
            let name = if let text = raw.text { text } else { try look.plain(raw).escaped }
            guard let file = try inside.entry(name) else { continue }
            guard file.kind == .file else {
                return rejected(
                    entry, .wrongKind, "holds \(name), a folder, a link, a pipe or a device", "Put only photos there.")
            }
            guard file.linkCount == 1 else { return linked(file, within: entry) }
            if try look.wait(for: file, hint == .moved ? .moved : .seen) != nil { return unfinished(entry) }
        }
        return try candidate(entry)
    }

    /// Returns the candidate with its sidecar: a photo waits until its text is complete.
    private func candidate(_ entry: Directory.Entry) throws(FileError) -> Finding {
        for name in SidecarNames.documents(of: entry.name) + SidecarNames.xmp(of: entry.name) {
            guard let sidecar = try folder.entry(name), sidecar.kind == .file else { continue }
            if try wait(for: sidecar, .closed) != nil { return unfinished(entry) }
        }
        guard let owner = place.owner else { return .nothing }
        return .candidate(Candidate(owner: owner, place: place, name: entry.name))
    }

    private func wait(for file: Directory.Entry, _ hint: InboxEvents.Kind) throws(FileError) -> Finding? {
        switch try stability.state(of: file, in: folder, hint: hint) {
        case .complete: nil
        case .fresh(let time): .unfinished(name: file.name, after: time)
        case .beingWritten: .unfinished(name: file.name, after: nil)
        }
    }

    private func unfinished(_ entry: Directory.Entry) -> Finding {
        .unfinished(name: entry.name, after: stability.remaining(entry))
    }

    /// Rejects a file with several names; programs that deliver by a link and an unlink have a second between the two.
    private func linked(_ file: Directory.Entry, within post: Directory.Entry? = nil) -> Finding {
        guard stability.isAtRest(file) else { return unfinished(post ?? file) }
        let what = post == nil ? "has" : "holds \(file.name), which has"
        return rejected(
            post ?? file, .hardLinked, "\(what) \(file.linkCount) names (hard links)",
            "Copy the photo: it could be changed through another name when it is published.")
    }

    private func rejected(
        _ entry: Directory.Entry, _ code: ErrorCode, _ what: String, _ hint: String
    ) -> Finding {
        .rejected(
            RejectedFile(
                place: place, name: entry.name, reason: Failure(code, "\(entry.name) \(what)", hint: hint)))
    }
}
