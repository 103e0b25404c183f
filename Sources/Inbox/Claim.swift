import Blobs
import Pipeline
import Posts
import Tree

/// Taking one thing out of the inbox, exactly once, and bringing it to its end.
///
/// The reservation names the source before anything moves; the rename into `incoming/{id}/` takes it. A crash at any
/// point leaves either the file in the inbox with an idle reservation, or the file in the folder that bears the id:
/// both are gone on with by `finish`.
struct Claim {
    private let pipeline: UploadPipeline

    init(_ pipeline: UploadPipeline) {
        self.pipeline = pipeline
    }

    /// Reserves an upload for the candidate and moves it out of the inbox.
    func take(_ candidate: InboxScan.Candidate) async throws -> UploadRecord? {
        var request = UploadRequest(owner: candidate.user, door: .inbox)
        request.source = candidate.name
        guard case .new(let record) = try await pipeline.reserve(request) else { return nil }
        do {
            try await move(record)
        } catch {
            // What cannot be moved stays where it is, whole; the next scan reserves anew. If it can neither be moved nor
            // be put back, it is this upload's, which goes on from where it is.
            do { try await putBack(record) } catch { return record }
            try? await pipeline.abandon(record.id)
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
                let parcel = try await pipeline.onFileThread { [pipeline] in
                    try Parcel(try pipeline.storage.incoming.folder(record.id.description))
                }
                if parcel.isEmpty {
                    try await pipeline.abandon(record.id)  // Its owner took it back in time.
                } else {
                    try await ingest(parcel, of: record)
                }
            } catch let verdict as PipelineError where !verdict.isTransient {
                try await pipeline.fail(record.id, from: .reserved, with: verdict)
            }
        }
        try await putAway(pipeline.outcome(of: record.id))
    }

    /// Moves the source and its sidecar into the claim's folder. What is already there stays; repeating is harmless.
    func move(_ record: UploadRecord) async throws {
        guard let source = record.source else { return }
        let storage = pipeline.storage
        try await pipeline.onFileThread {
            let folder = try storage.incoming.folder(record.id.description, create: true)
            guard try folder.entry(source) == nil,
                let inbox = try? storage.inbox.folder(record.owner.description), try inbox.entry(source) != nil
            else { return }
            let sidecar = Sidecar.name(of: source)
            if try inbox.entry(sidecar)?.kind == .file { try inbox.move(sidecar, to: folder, as: sidecar) }
            try inbox.move(source, to: folder, as: source)
        }
    }

    private func putBack(_ record: UploadRecord) async throws {
        let storage = pipeline.storage
        try await pipeline.onFileThread {
            let inbox = try storage.inbox.folder(record.owner.description)
            let folder = try storage.incoming.folder(record.id.description)
            for name in try folder.names() { try folder.move(name, to: inbox, as: name) }
            try storage.incoming.removeTree(record.id.description)
        }
    }

    private func ingest(_ parcel: Parcel, of record: UploadRecord) async throws {
        guard parcel.photos.count <= pipeline.settings.maxPhotos else {
            throw PipelineError(
                .tooManyPhotos, "\(parcel.photos.count) photos; a post has at most \(pipeline.settings.maxPhotos)",
                hint: "make several folders of it")
        }
        var photos: [UploadRecord.Photo] = []
        for (number, photo) in parcel.photos.enumerated() {
            let reader = try await pipeline.onFileThread { try photo.open() }
            while reader.hasWriter == true { try await Task.sleep(for: .milliseconds(100)) }
            photos.append(try await pipeline.ingest(reader, as: number, originalName: photo.name, of: record))
        }
        try await pipeline.accept(record.id, photos: photos, text: parcel.text)
    }

    /// Moves the claimed files to `done/` or `failed/` with a receipt or a reason, and forgets the claim.
    private func putAway(_ record: UploadRecord) async throws {
        guard record.state.isTerminal else { return }
        let storage = pipeline.storage
        try await pipeline.onFileThread {
            let isPublished = record.state == .published
            let target = try (isPublished ? storage.done : storage.failed)
                .folder(record.owner.description, create: true)
            let claimed = try storage.incoming.folder(record.id.description, create: true)
            if let source = record.source {
                let document = isPublished ? Receipt(record).json : FailureReason(record).json
                let putAway = PutAway(folder: target, staging: storage.incoming, mark: record.id.description)
                try putAway.put(source, from: claimed, with: document, as: isPublished ? "receipt" : "reason")
                try putAway.put(Sidecar.name(of: source), from: claimed)
            }
            if !isPublished {
                try storage.blobs.removeAll(userID: record.owner.description, postID: record.id.description)
            }
            try storage.incoming.removeTree(record.id.description)
        }
        try await pipeline.settled(record.id)
    }
}

/// What lies in a claim's folder: photos in the order of their names, and a text.
struct Parcel {
    struct Photo: Sendable {
        let name: String
        let folder: Directory

        /// Opens the file; one at a time, for a folder may hold more than the process may have open.
        func open() throws(PipelineError) -> FileReader {
            do throws(BlobError) { return try folder.file(name) } catch { throw PipelineError(error, about: name) }
        }
    }

    private(set) var photos: [Photo] = []
    private(set) var text = ""
    /// Whether neither a photo nor a folder `NAME.post` is there.
    let isEmpty: Bool

    /// Reads the folder of a claim.
    ///
    /// - Throws: `PipelineError` that names the file which cannot be part of a post.
    init(_ folder: Directory) throws {
        let entries = try folder.entries().filter { !Ignored.contains($0.name) }
        isEmpty = entries.allSatisfy { $0.name.hasSuffix(Sidecar.suffix) }
        let post = entries.first { $0.kind == .folder }
        for entry in entries where post == nil || entry.name == post.map({ Sidecar.name(of: $0.name) }) {
            try add(entry, from: folder, isText: entry.name.hasSuffix(Sidecar.suffix))
        }
        guard let post else { return }
        let inside = try folder.folder(post.name)
        for entry in try inside.entries() where !Ignored.contains(entry.name) {
            try add(entry, from: inside, isText: entry.name == Sidecar.nameInPostFolder)
        }
    }

    private mutating func add(_ entry: Directory.Entry, from folder: Directory, isText: Bool) throws {
        let file = Photo(name: entry.name, folder: folder)
        if isText {
            text = try Sidecar.text(in: file.open(), named: entry.name)
        } else {
            photos.append(file)
        }
    }
}
