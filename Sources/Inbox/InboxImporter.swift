import Blobs
import Pipeline
import Posts
import Tree

/// Taking one thing out of the inbox, exactly once, and bringing it to its end.
///
/// The reservation names the source before anything moves; the rename into `incoming/{id}/` takes it. A crash at any
/// point leaves either the file in the inbox with an idle reservation, or the file in the folder that bears the id:
/// both are gone on with by `finish`.
///
/// Where the inbox is on another file system, the rename that takes the file is one to the hidden name `.{id}.claim` in
/// its own folder; what follows (copy, fsync, comparison, deletion of the hidden file) can be repeated at will.
struct InboxImporter {
    private let pipeline: UploadPipeline
    private let copies: Bool

    init(_ pipeline: UploadPipeline, copies: Bool = false) {
        self.pipeline = pipeline
        self.copies = copies
    }

    /// Reserves an upload for the candidate and moves it out of the inbox.
    func take(_ candidate: Candidate) async throws -> UploadRecord? {
        var request = UploadRequest(owner: candidate.owner, intake: .inbox)
        request.source = candidate.source
        guard case .new(let record) = try await pipeline.reserve(request) else { return nil }
        do {
            try await move(record)
        } catch {
            // What cannot be moved stays where it is, whole; the next look reserves anew. If it can neither be moved nor
            // be put back, it is this upload's, which goes on from where it is.
            do { try await takeBack(record) } catch { return record }
            throw error
        }
        return record
    }

    /// Goes on with an upload wherever it stands, until its files are put away.
    func finish(_ id: PostID) async throws {
        guard let record = try await pipeline.record(of: id) else { return }
        if record.state == .reserved {
            do {
                try await move(record)
                let maxPhotos = pipeline.settings.maxPhotos
                let contents = try await pipeline.onFileThread { [pipeline] in
                    try ClaimContents(try pipeline.storage.incoming.folder(record.id.description), maxPhotos: maxPhotos)
                }
                if contents.isEmpty {
                    return try await takeBack(record)  // Its owner took it back in time.
                }
                try await ingest(contents, of: record)
            } catch let fault as PipelineError where fault.code == .changedWhileRead {
                // Somebody had it open all the while, and writes on: it was not complete, and its time will come.
                return try await takeBack(record)
            } catch let failure as PipelineError where !failure.isTransient {
                try await pipeline.fail(record.id, from: .reserved, with: failure)
            }
        }
        try await putAway(pipeline.outcome(of: record.id))
    }

    /// Moves the source and its sidecar into the claim's folder. What is already there stays; repeating is harmless.
    func move(_ record: UploadRecord) async throws {
        guard let source = Source(record) else { return }
        let (storage, copies) = (pipeline.storage, copies)
        try await pipeline.onFileThread {
            let claimed = try storage.incoming.folder(record.id.description, create: true)
            guard let place = try? source.place.open(in: storage.inbox) else { return }
            for (name, hidden) in source.names {
                if try claimed.entry(name) == nil, try place.entry(hidden) == nil {
                    guard let found = try source.name(of: name, in: place) else { continue }
                    do throws(BlobError) {
                        if copies { throw BlobError(.crossDevice, "") }
                        try place.move(found, to: claimed, as: name)
                    } catch {
                        guard error.code == .crossDevice else { throw error }
                        try place.move(found, to: place, as: hidden)
                    }
                }
                try fetch(hidden, from: place, to: claimed, as: name)
            }
        }
    }

    /// Copies what was claimed on another file system, and deletes it there once the copy is durable.
    private func fetch(
        _ hidden: String, from place: Directory, to claimed: Directory, as name: String
    ) throws(BlobError) {
        guard try place.entry(hidden) != nil else { return }
        if try claimed.entry(name) == nil { try place.copy(hidden, to: claimed, as: name, via: ".copy.part") }
        try place.removeTree(hidden)
        try place.sync()
    }

    /// Puts what was claimed back into the inbox and gives the reservation up.
    private func takeBack(_ record: UploadRecord) async throws {
        try await putBack(record)
        try await pipeline.abandon(record.id)
        // Nobody asks for it, and what cannot be taken is tried again and again.
        try await pipeline.forget(record.id)
    }

    /// Puts what was claimed back into the inbox, under another name where its own is taken by now.
    private func putBack(_ record: UploadRecord) async throws {
        let storage = pipeline.storage
        if let source = Source(record) {
            try await pipeline.onFileThread {
                let claimed = try storage.incoming.folder(record.id.description, create: true)
                try? claimed.removeTree(".copy.part")
                let user = try storage.inbox.folder(record.owner.description, create: true)
                let place = try user.folder(below: source.place.path, create: true)
                let mark = record.id.description
                // The text is named as its photo is, whatever lies there by now.
                let isTaken = try place.entry(source.name) != nil
                let freeName = isTaken ? FileName.marked(source.name, with: mark) : source.name
                for (name, hidden) in source.names {
                    var freeName = name == source.name ? freeName : Sidecar.name(of: freeName)
                    if try place.entry(freeName) != nil { freeName = FileName.marked(freeName, with: mark) }
                    if try place.entry(hidden) != nil {
                        try place.move(hidden, to: place, as: freeName)
                        try claimed.removeTree(name)
                    } else if try claimed.entry(name) != nil {
                        try claimed.bring(name, to: place, as: freeName, via: hidden)
                    }
                }
                try storage.incoming.removeTree(record.id.description)
            }
        }
    }

    private func ingest(_ contents: ClaimContents, of record: UploadRecord) async throws {
        guard contents.photos.count <= pipeline.settings.maxPhotos else {
            throw PipelineError(
                .tooManyPhotos, "more than the \(pipeline.settings.maxPhotos) photos that a post may have",
                hint: "make several folders of it")
        }
        guard contents.alts.count <= contents.photos.count else {
            throw PipelineError(
                .badSidecar,
                "\"alt\" has \(contents.alts.count) alternative texts, and there are \(contents.photos.count) photos",
                hint: "give one for each photo, in the order of their names")
        }
        var photos: [UploadRecord.Photo] = []
        for (number, photo) in contents.photos.enumerated() {
            let reader = try await pipeline.onFileThread { try photo.open() }
            try await rest(reader, named: photo.name)
            var ingested = try await pipeline.ingest(reader, as: number, originalName: photo.name, of: record)
            if number < contents.alts.count { ingested.alt = contents.alts[number] }
            photos.append(ingested)
        }
        let text = try await contents.text.isEmpty ? xmpText(of: record) : contents.text
        try await pipeline.accept(record.id, photos: photos, text: text)
    }

    /// What an XMP document says that lies where the photo lay; it stays there.
    private func xmpText(of record: UploadRecord) async throws -> String {
        guard let source = Source(record) else { return "" }
        let inbox = pipeline.storage.inbox
        return try await pipeline.onFileThread {
            guard let place = try? source.place.open(in: inbox) else { return "" }
            for name in SidecarNames.xmp(of: source.name) where try place.entry(name)?.kind == .file {
                let text = try XMPText.description(in: place.file(name))
                if !text.isEmpty { return text }
            }
            return ""
        }
    }

    /// Looks whether the file has another name by which it could be written; and where the file system cannot tell who has
    /// it open, sees to it that nobody has written for a second.
    private func rest(_ reader: FileReader, named name: String) async throws {
        let version = try reader.version()
        guard version.linkCount == 1 else {
            throw PipelineError(
                .hardLinked, "the photo has \(version.linkCount) names (hard links)",
                hint: "copy it: through another name it could be changed when it is published")
        }
        let age = WallClock.milliseconds() - version.modifiedNanoseconds / 1_000_000
        if reader.hasWriter != nil || !(0..<1000).contains(age) { return }
        try await Task.sleep(for: .milliseconds(1000 - age))
        // Once: whoever goes on writing makes nobody else wait.
        guard try reader.version() == version else { throw UploadPipeline.changedWhileRead(name) }
    }

    /// Whether nothing is lost with a claim: it is a duplicate, has photos and nothing else, and the post has these bytes,
    /// as a look at them says.
    private func isDispensable(_ record: UploadRecord) async throws -> Bool {
        guard record.state == .duplicate, record.text.isEmpty, let post = record.duplicateOf,
            let source = Source(record)
        else { return false }
        let incoming = pipeline.storage.incoming
        let hasPhotosAlone = try await pipeline.onFileThread {
            guard let entry = try incoming.entry(record.id.description), entry.kind == .folder else { return false }
            let claimed = try incoming.folder(entry.name)
            guard try claimed.names() == [source.name] else { return false }
            let photos = record.orderedPhotos.map(\.originalName).sorted()
            guard try claimed.entry(source.name)?.kind == .folder else { return photos == [source.name] }
            return try claimed.folder(source.name).names().sorted() == photos
        }
        guard hasPhotosAlone else { return false }
        return try await pipeline.hasOriginals(record.orderedPhotos.map(\.sha256), of: post)
    }

    /// Moves the claimed files to `done/` or `failed/` with a receipt or a reason, and forgets the claim.
    private func putAway(_ record: UploadRecord) async throws {
        guard record.state.isTerminal else { return }
        try pipeline.tree.health.check()
        // Its reservation was given up when its file could not be put back.
        if record.state == .expired { try await putBack(record) }
        let storage = pipeline.storage
        let isKept = try await !isDispensable(record)
        try await pipeline.onFileThread {
            let isDone = record.state == .published || record.state == .duplicate
            if let source = Source(record), record.state != .expired {
                let target =
                    isDone
                    ? try storage.done.folder(record.owner.description, create: true)
                    : try storage.failedFolder(of: record.error?.code, user: record.owner)
                let claimed = try storage.incoming.folder(record.id.description, create: true)
                let folder = try target.deepest(below: source.place.path)
                let putAway = Archiver(folder: folder, staging: storage.incoming, mark: record.id.description)
                if isKept {
                    try putAway.put(source.name, from: claimed, kind: isDone ? "receipt" : "reason") { file in
                        isDone ? Receipt(record, file: file).json : FailureReason(record, file: file).json
                    }
                } else {
                    try putAway.note(source.name, kind: "receipt", of: record.duplicateOf?.description ?? "") { file in
                        Receipt(record, file: file, isKept: false).json
                    }
                }
            }
            if record.state != .published {
                try storage.blobs.removeAll(userID: record.owner.description, postID: record.id.description)
            }
            try storage.incoming.removeTree(record.id.description)
        }
        try await pipeline.finishCleanUp(record.id)
    }
}

/// Where an inbox upload came from, as its record says.
private struct Source {
    let place: InboxFolder
    let name: String
    /// The sidecar, as it is called from here on, then the thing itself, each with the name under which it is hidden where it
    /// cannot be moved at once.
    let names: [(name: String, hidden: String)]

    init?(_ record: UploadRecord) {
        var path = (record.source ?? "").split(separator: "/").map(String.init)
        guard let name = path.popLast() else { return nil }
        self.name = name
        place = InboxFolder(user: record.owner.description, path: path)
        names = [
            (Sidecar.name(of: name), ".\(record.id)\(Sidecar.suffix).claim"), (name, ".\(record.id).claim"),
        ]
    }

    /// What one of the names is in the inbox; nil when it is not there.
    func name(of claimed: String, in place: Directory) throws(BlobError) -> String? {
        if claimed == name { return try place.entry(name) == nil ? nil : name }
        for document in SidecarNames.documents(of: name) where try place.entry(document)?.kind == .file {
            return document
        }
        return nil
    }
}
