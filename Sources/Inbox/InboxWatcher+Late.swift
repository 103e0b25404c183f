import API
import Files
import Logging
import Model
import Store
import Tree
import Uploads

extension InboxWatcher {
    /// The time after its publication in which a post without a text gets one from a late document.
    private static let lateTime = Duration.seconds(24 * 3600)

    /// Deals with a file whose photo is not beside it: that may have been taken already.
    ///
    /// - Returns: What was claimed, if it is to be taken like anything else.
    func takeLate(_ late: Candidate, _ events: InboxEvents) async -> UploadRecord? {
        do {
            let photos =
                SidecarNames.isVideo(late.name)
                ? SidecarNames.stills(of: late.name) : SidecarNames.photos(of: late.name)
            let sources = Set(photos.map { (late.place.path + [$0]).joined(separator: "/") })
            let unfinished = try await tools.store.unfinished(from: .inbox)
            if unfinished.contains(where: { $0.owner == late.owner && sources.contains($0.source ?? "") }) {
                events.lookAgain(at: late.name, in: late.place, after: .seconds(1))
                return nil
            }
            if let (photo, receipt) = try await receipt(ofOneOf: photos, late) {
                // The moving part of a Live Photo is left alone.
                if !SidecarNames.isVideo(late.name) { try await addText(in: late, to: photo, receipt) }
                return nil
            }
            if SidecarNames.isVideo(late.name) { return await take(late, events) }
            // The next walk finds it again.
            if try await waits(late, for: photos) { return nil }
            throw Failure(
                .badSidecar, "\(late.name) has no photo beside it",
                hint: "put the text there before the photo, or use a folder NAME.post")
        } catch let refusal as Failure where !refusal.isTransient {
            await reject(RejectedFile(place: late.place, name: late.name, reason: refusal))
        } catch {
            if await !tools.disk.report(error) { note(error as? FileError, in: late.place.root) }
        }
        return nil
    }

    /// Whether one of some photos may still come: the text has not waited for long, or a photo is on its way beside it.
    private func waits(_ late: Candidate, for photos: [String]) async throws -> Bool {
        let (storage, patience) = (tools.storage, settings.photoPatience)
        return try await FileThreads.run {
            let folder = try late.place.open(in: storage.inbox)
            guard let entry = try folder.entry(late.name) else { return true }
            let stability = FileStability(quietTime: patience, now: storage.clock())
            return try !stability.isQuiet(entry)
                || folder.names().contains { IgnoredFiles.isUnfinished($0, of: photos) }
        }
    }

    /// The first of some photos that was taken from the place, and its receipt.
    private func receipt(
        ofOneOf photos: [String], _ late: Candidate
    ) async throws -> (photo: String, receipt: ArchiveDocument)? {
        let done = tools.storage.done
        return try await FileThreads.run {
            let folders = [late.owner.description] + late.place.path
            // Where nothing was taken, nothing is.
            guard let folder = try? done.folder(below: folders) else { return nil }
            for photo in photos where try folder.entry(photo) != nil {
                let document = FileName.document(of: photo, kind: "receipt")
                if let receipt = try ArchiveDocument.read(document, in: folder), receipt.post != nil {
                    return (photo, receipt)
                }
            }
            return nil
        }
    }

    /// Gives the photo's post what the document says, if it is young and has nothing of that, and puts the document beside the photo.
    private func addText(in late: Candidate, to photo: String, _ receipt: ArchiveDocument) async throws {
        let storage = tools.storage
        let sidecar = try await FileThreads.run {
            try Sidecar.read(late.place.open(in: storage.inbox).file(late.name), named: late.name)
        }
        guard sidecar.audiences.isEmpty else {
            throw Failure(
                .badSidecar,
                "\(late.name) says for whom the post is, and came after its photo: post \(receipt.post ?? "unknown") is there already",
                hint:
                    "delete that post if not everybody was to see it; a document with audiences comes before its photo, or in a folder NAME.post with it"
            )
        }
        let isYoung = receipt.publishedAt.map { storage.clock() - $0 < Self.lateTime } ?? false
        // Nobody would be asked about it.
        guard receipt.outcome == "published", isYoung, !tools.isModerated,
            let post = receipt.post.flatMap({ PostID($0) }),
            try await LateText(sidecar).add(to: post, of: late.owner, in: tools.tree)
        else {
            throw Failure(
                .badSidecar, "\(late.name) came after its photo, which is post \(receipt.post ?? "unknown")",
                hint:
                    "a text that comes late is added within a day, to a post that has none, where posts are not moderated; write this one there by hand"
            )
        }
        try await FileThreads.run {
            let folder = try storage.done.folder(below: [late.owner.description] + late.place.path, create: true)
            let name = Sidecar.name(of: photo)
            let isTaken = try folder.entry(name) != nil
            let place = try late.place.open(in: storage.inbox)
            let newName = isTaken ? FileName.marked(name, with: post.description) : name
            try place.bring(late.name, to: folder, as: newName, via: ".\(post).part")
        }
        logger.info(
            "a text came late",
            metadata: ["post": "\(post)", "file": "\(late.place.description(of: late.name).printable)"])
    }
}
