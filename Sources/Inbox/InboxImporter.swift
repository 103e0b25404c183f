import API
import Files
import Model
import Store
import Tree
import Uploads

/// The work on one claim: claims a file or folder of the inbox exactly once, and processes it until its upload has
/// ended.
///
/// The reservation names the source before any file is moved; then the files are claimed (``ClaimedFiles``). A crash at
/// any point leaves either the file in the inbox with an idle reservation, or the file in the folder with the upload's
/// id. `ingest` continues from both.
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

    // MARK: Claiming

    /// Reserves an upload for the candidate and moves it out of the inbox.
    func take(_ candidate: Candidate) async throws -> UploadRecord? {
        var request = UploadRequest(owner: candidate.owner, intake: .inbox)
        request.source = candidate.source
        guard case .new(let record) = try await tools.store.reserve(request) else { return nil }
        do {
            try await move(record)
        } catch {
            // A file that cannot be moved stays where it is, and the next look reserves again. If it can neither be
            // moved nor put back, it belongs to this upload, which continues from there.
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

    /// Moves the claimed files back into the inbox and ends the reservation.
    private func takeBack(_ record: UploadRecord) async throws {
        try await putBack(record)
        try await tools.store.expire(record.id, from: .reserved)
        // The record is deleted because no client needs it, and a file that cannot be claimed is tried again and again.
        try await tools.store.forget(record.id)
    }

    private func putBack(_ record: UploadRecord) async throws {
        guard let files = files(of: record) else { return }
        try await FileThreads.run { () throws(FileError) in try files.putBack() }
    }

    // MARK: Ingesting

    /// Continues an upload in any state, until it is acknowledged or has failed.
    ///
    /// - Returns: Whether there are files to archive; false if the upload no longer exists.
    func ingest(_ id: PostID) async throws -> Bool {
        guard let record = try await tools.store.record(of: id) else { return false }
        guard record.state == .reserved else { return true }
        do {
            try await move(record)
            let contents = try await contents(of: record)
            if contents.isEmpty {
                try await takeBack(record)  // The owner removed the file in time.
                return false
            }
            try await ingest(contents, of: record)
        } catch let fault as Failure where fault.code == .changedWhileRead {
            // A process had the file open and continues to write: it was not complete, and is claimed later.
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
                hint: "Split it into several folders.")
        }
        guard contents.alts.count <= contents.photos.count else {
            throw Failure(
                .badSidecar,
                "\"alt\" has \(contents.alts.count) alternative texts, and there are \(contents.photos.count) photos",
                hint: "Give one for each photo, in the order of their names.")
        }
        // The claimed files and their reservation stay when the session ends.
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

    /// Checks that the file has no other name by which it could be written. If the file system cannot report who has it
    /// open, also waits a second and checks that it was not written.
    private func waitUntilUnmodified(_ reader: FileReader, named name: String) async throws {
        let version = try reader.version()
        guard version.linkCount == 1 else {
            throw Failure(
                .hardLinked, "the photo has \(version.linkCount) names (hard links)",
                hint: "Copy it: it could be changed through another name when it is published.")
        }
        let age = tools.storage.clock().milliseconds - version.modifiedNanoseconds / 1_000_000
        if reader.hasWriter != nil || !(0..<1000).contains(age) { return }
        try await Task.sleep(for: .milliseconds(1000 - age))
        // It is checked only once, so that a persistent writer does not delay others.
        guard try reader.version() == version else { throw Failure.changedWhileRead(name) }
    }

    // MARK: Archiving

    /// Moves the claimed files to `done/` or `failed/` with a receipt or a reason, and deletes the claim.
    private func archive(_ record: UploadRecord) async throws {
        guard record.state.isTerminal else { return }
        try tools.tree.health.check()
        if let files = files(of: record) {
            if record.state == .expired {
                try await putBack(record)  // Its reservation was ended when its file could not be put back.
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

    /// Adds the texts of a duplicate to the post that has its photos, if that has none of its own.
    private func addWords(of record: UploadRecord) async throws {
        // With moderation, the texts would not be moderated.
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

    /// Returns the post that contains all of a claim, so that deleting the claim loses nothing: the claim is a
    /// duplicate, consists of photos only, and the post's originals have these bytes, which are read. Nil if there is
    /// none.
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
