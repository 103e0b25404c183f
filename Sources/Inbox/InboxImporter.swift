import API
import Files
import Model
import Store
import Tree
import Uploads

/// Takes one thing out of the inbox, exactly once, and brings it to its end.
///
/// The reservation names the source before anything moves; then the files are claimed (``ClaimedFiles``). A crash at any
/// point leaves either the file in the inbox with an idle reservation, or the file in the folder that bears the id:
/// `ingest` goes on from both.
struct InboxImporter {
    private let tools: IntakeTools
    private let copies: Bool

    init(_ tools: IntakeTools, copies: Bool = false) {
        self.tools = tools
        self.copies = copies
    }

    private func files(of record: UploadRecord) -> ClaimedFiles? {
        ClaimedFiles(of: record, in: tools.storage, copies: copies)
    }

    // MARK: Taking

    /// Reserves an upload for the candidate and moves it out of the inbox.
    func take(_ candidate: Candidate) async throws -> UploadRecord? {
        var request = UploadRequest(owner: candidate.owner, intake: .inbox)
        request.source = candidate.source
        guard case .new(let record) = try await tools.store.reserve(request) else { return nil }
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

    /// Moves the upload's files into its claim.
    func move(_ record: UploadRecord) async throws {
        guard let files = files(of: record) else { return }
        try await FileThreads.run { () throws(FileError) in try files.move() }
    }

    /// Puts what was claimed back into the inbox and gives the reservation up.
    private func takeBack(_ record: UploadRecord) async throws {
        try await putBack(record)
        try await tools.store.expire(record.id, from: .reserved)
        // Nobody asks for it, and what cannot be taken is tried again and again.
        try await tools.store.forget(record.id)
    }

    private func putBack(_ record: UploadRecord) async throws {
        guard let files = files(of: record) else { return }
        try await FileThreads.run { () throws(FileError) in try files.putBack() }
    }

    // MARK: Going on

    /// Goes on with an upload wherever it stands, until it is acknowledged or has failed.
    ///
    /// - Returns: Whether there is something to archive; false when nothing is left of the upload.
    func ingest(_ id: PostID) async throws -> Bool {
        guard let record = try await tools.store.record(of: id) else { return false }
        guard record.state == .reserved else { return true }
        do {
            try await move(record)
            let contents = try await contents(of: record)
            if contents.isEmpty {
                try await takeBack(record)  // Its owner took it back in time.
                return false
            }
            try await ingest(contents, of: record)
        } catch let fault as Failure where fault.code == .changedWhileRead {
            // Somebody had it open all the while, and writes on: it was not complete, and its time will come.
            try await takeBack(record)
            return false
        } catch let failure as Failure where !failure.isTransient {
            try await tools.store.fail(record.id, from: .reserved, with: failure)
        }
        return true
    }

    /// Waits for the end of an upload, and archives its files.
    func archive(_ id: PostID) async throws {
        try await archive(tools.store.end(of: id))
    }

    private func contents(of record: UploadRecord) async throws -> ClaimContents {
        let (incoming, maxPhotos) = (tools.storage.incoming, tools.settings.maxPhotos)
        return try await FileThreads.run {
            try ClaimContents(try incoming.folder(record.id.description), maxPhotos: maxPhotos)
        }
    }

    private func ingest(_ contents: ClaimContents, of record: UploadRecord) async throws {
        guard contents.photos.count <= tools.settings.maxPhotos else {
            throw Failure(
                .tooManyPhotos, "more than the \(tools.settings.maxPhotos) photos that a post may have",
                hint: "make several folders of it")
        }
        guard contents.alts.count <= contents.photos.count else {
            throw Failure(
                .badSidecar,
                "\"alt\" has \(contents.alts.count) alternative texts, and there are \(contents.photos.count) photos",
                hint: "give one for each photo, in the order of their names")
        }
        // The claimed files stay when the session goes, and with them the reservation.
        var session = tools.receiver.resume(
            try await tools.receiver.address(record, to: contents.audiences))
        for (number, photo) in contents.photos.enumerated() {
            let reader = try await FileThreads.run { try photo.open() }
            try await waitUntilUnmodified(reader, named: photo.name)
            let alt = number < contents.alts.count ? contents.alts[number] : ""
            try await session.copy(reader, named: photo.name, alt: alt)
        }
        var text = contents.text
        if text.isEmpty, let files = files(of: record) { text = try await FileThreads.run { try files.xmpText() } }
        _ = try await session.accept(text: text)
    }

    /// Looks whether the file has another name by which it could be written; and where the file system cannot tell who has
    /// it open, sees to it that nobody has written for a second.
    private func waitUntilUnmodified(_ reader: FileReader, named name: String) async throws {
        let version = try reader.version()
        guard version.linkCount == 1 else {
            throw Failure(
                .hardLinked, "the photo has \(version.linkCount) names (hard links)",
                hint: "copy it: through another name it could be changed when it is published")
        }
        let age = tools.storage.clock().milliseconds - version.modifiedNanoseconds / 1_000_000
        if reader.hasWriter != nil || !(0..<1000).contains(age) { return }
        try await Task.sleep(for: .milliseconds(1000 - age))
        // Once: whoever goes on writing makes nobody else wait.
        guard try reader.version() == version else { throw Failure.changedWhileRead(name) }
    }

    // MARK: Archiving

    /// Moves the claimed files to `done/` or `failed/` with a receipt or a reason, and forgets the claim.
    private func archive(_ record: UploadRecord) async throws {
        guard record.state.isTerminal else { return }
        try tools.tree.health.check()
        if let files = files(of: record) {
            if record.state == .expired {
                try await putBack(record)  // Its reservation was given up when its file could not be put back.
            } else {
                try await addWords(of: record)
                let (storage, post) = (tools.storage, try await postWithAll(of: record, files))
                try await FileThreads.run { try Self.archive(record, files, alreadyIn: post, in: storage) }
            }
            if !record.state.isPost {
                try await tools.storage.blobs.removeAll(
                    userID: record.owner.description, postID: record.id.description)
            }
            try await FileThreads.run { () throws(FileError) in try files.remove() }
        }
        try await tools.store.finishCleanUp(record.id)
    }

    /// Gives the words of a duplicate to the post that has its photos, and no words of its own.
    private func addWords(of record: UploadRecord) async throws {
        // Nobody would be asked about them.
        guard record.state == .duplicate, let post = record.duplicateOf, !tools.isModerated else { return }
        do {
            _ = try await LateText(of: record).add(to: post, of: record.owner, in: tools.tree)
        } catch let failure as Failure where failure.code == .notConsented {}
    }

    private static func archive(
        _ record: UploadRecord, _ files: ClaimedFiles, alreadyIn post: PostID?, in storage: StorageFolder
    ) throws {
        let isDone = record.state == .published || record.state == .duplicate
        let target =
            isDone
            ? try storage.done.folder(record.owner.description, create: true)
            : try storage.failedFolder(of: record.error?.code, user: record.owner)
        let archiver = Archiver(
            folder: try target.deepest(below: files.folder.path), staging: storage.incoming,
            mark: record.id.description)
        if let post {
            try archiver.note(files.name, kind: "receipt", of: post.description) { file in
                Receipt(record, file: file, isKept: false).json
            }
        } else {
            try archiver.put(files.name, from: files.claim(), kind: isDone ? "receipt" : "reason") { file in
                isDone ? Receipt(record, file: file).json : FailureReason(record, file: file).json
            }
        }
    }

    /// The post that has all of a claim, so that nothing is lost with that: it is a duplicate, has photos and nothing else, and
    /// the post has these bytes, as a look at them says. Nil when there is none.
    private func postWithAll(of record: UploadRecord, _ files: ClaimedFiles) async throws -> PostID? {
        guard record.state == .duplicate, record.text.isEmpty, let post = record.duplicateOf else { return nil }
        let photos = record.orderedPhotos
        let holdsPhotosAlone = try await FileThreads.run { () throws(FileError) in
            try files.holdsNothing(but: photos.map(\.originalName))
        }
        guard holdsPhotosAlone, try await tools.index.hasOriginals(photos.map(\.sha256), of: post) else { return nil }
        return post
    }
}
