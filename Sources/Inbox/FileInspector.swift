import API
import Files
import Keeping
import Model

/// A look at one name in the inbox: what it is, and whether its time has come.
struct FileInspector {
    /// The result of a look at one name.
    enum Finding: Sendable {
        case candidate(Candidate)
        case rejected(RejectedFile)
        /// A user's folder, or one below it, whose contents are to be looked at.
        case folder(InboxFolder)
        /// A text, or the moving part of a Live Photo, whose photo is not beside it: it may have been taken already.
        case late(Candidate)
        /// Something that is still on its way; `after` so many nanoseconds it is looked at again, without a time when
        /// the kernel tells.
        case unfinished(name: String, after: Int64?)
        /// Nothing that is the inbox's business, or nothing any more.
        case nothing
    }

    let folder: Directory
    let place: InboxFolder
    let stability: FileStability
    let maxPhotos: Int

    /// Looks at a name.
    ///
    /// - Throws: `FileError` when the folder cannot be worked in.
    func look(at raw: RawName, hint: InboxEvents.Kind = .seen) throws(FileError) -> Finding {
        if IgnoredFiles.contains(raw.bytes) { return .nothing }
        guard let name = raw.text else { return try look(at: plain(raw)) }
        guard let entry = try folder.entry(name) else { return .nothing }
        if place.root == .inbox { return try lookAtTop(entry, hint) }
        switch entry.kind {
        case .other: return rejected(entry, .wrongKind, "is a link, a pipe or a device", "put the photo itself there")
        case .file: return try look(atFile: entry, hint)
        case .folder where entry.name.hasSuffix(Sidecar.postFolderSuffix): return try look(atPost: entry, hint)
        case .folder where place.path.count < InboxFolder.maxDepth:
            return .folder(InboxFolder(root: place.root, path: place.path + [name]))
        case .folder:
            guard stability.isQuiet(entry) else { return unfinished(entry) }
            return rejected(
                entry, .tooDeep, "lies more than \(InboxFolder.maxDepth) folders deep", "move it further up")
        }
    }

    /// Gives a name that is no UTF-8 one that is, each strange byte as `%XX`: from there on it is a file like others.
    private func plain(_ raw: RawName) throws(FileError) -> RawName {
        var name = FileName.shortened(raw.escaped, to: 200)
        if try folder.entry(name) != nil { name += ".\(UInt64.random(in: .min ... .max))" }
        // Its text first, or the photo would be taken without.
        do throws(FileError) {
            try folder.rename(raw.appending(Sidecar.suffix), to: Sidecar.name(of: name))
        } catch  where [.notFound, .exists, .badName].contains(error.code) {}
        try folder.rename(raw, to: name)
        return RawName(name)
    }

    /// Judges an entry of the inbox itself: users' folders belong there, and all else is misplaced.
    private func lookAtTop(_ entry: Directory.Entry, _ hint: InboxEvents.Kind) throws(FileError) -> Finding {
        if entry.kind == .folder {
            if let user = UserID(entry.name) { return .folder(InboxFolder(root: .user(user))) }
            guard stability.isQuiet(entry) else { return unfinished(entry) }
            return rejected(
                entry, .badUser, "is no user id", "name the folder with 1 to 128 letters, digits, - or _")
        }
        if entry.kind == .file, let finding = try wait(for: entry, hint) { return finding }
        return rejected(entry, .badUser, "lies outside of a user's folder", "put it into inbox/USER/")
    }

    private func look(atFile entry: Directory.Entry, _ hint: InboxEvents.Kind) throws(FileError) -> Finding {
        if Sidecar.photoName(of: entry.name) != nil { return try look(atDocument: entry) }
        guard entry.linkCount == 1 else { return linked(entry) }
        if SidecarNames.isVideo(entry.name) {
            // A Live Photo's: it is left alone.
            for still in SidecarNames.stills(of: entry.name) where try folder.entry(still) != nil { return .nothing }
        }
        if let finding = try wait(for: entry, hint) { return finding }
        if SidecarNames.isVideo(entry.name), let owner = place.owner {
            return .late(Candidate(owner: owner, place: place, name: entry.name))
        }
        return try candidate(entry)
    }

    private func look(atDocument entry: Directory.Entry) throws(FileError) -> Finding {
        // It goes with its photo.
        for photo in SidecarNames.photos(of: entry.name) where try folder.entry(photo) != nil { return .nothing }
        if let start = SidecarNames.photoPrefix(of: entry.name) {
            let names = try folder.rawNames(limit: 2) { $0.starts(with: start.utf8) }
            if names.contains(where: { $0.text.map { Sidecar.photoName(of: $0) == nil } ?? false }) { return .nothing }
        }
        // The photo may be about to come.
        guard stability.isQuiet(entry) else { return unfinished(entry) }
        guard let owner = place.owner else { return .nothing }
        return .late(Candidate(owner: owner, place: place, name: entry.name))
    }

    /// A folder `NAME.post` is complete when it was moved in or has been left alone, and all that is in it is complete.
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
                    entry, .wrongKind, "holds \(name), a folder, a link, a pipe or a device", "put photos there alone")
            }
            guard file.linkCount == 1 else { return linked(file, within: entry) }
            if try look.wait(for: file, hint == .moved ? .moved : .seen) != nil { return unfinished(entry) }
        }
        return try candidate(entry)
    }

    /// Takes the sidecar into account: a photo waits for its text to be whole.
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

    /// Rejects a file with several names; programs that deliver by a link and an unlink get a second between the two.
    private func linked(_ file: Directory.Entry, within post: Directory.Entry? = nil) -> Finding {
        guard stability.isAtRest(file) else { return unfinished(post ?? file) }
        let what = post == nil ? "has" : "holds \(file.name), which has"
        return rejected(
            post ?? file, .hardLinked, "\(what) \(file.linkCount) names (hard links)",
            "copy the photo: through another name it could be changed when it is published")
    }

    private func rejected(
        _ entry: Directory.Entry, _ code: ErrorCode, _ what: String, _ hint: String
    ) -> Finding {
        .rejected(
            RejectedFile(
                place: place, name: entry.name, reason: Failure(code, "\(entry.name) \(what)", hint: hint)))
    }
}
