import API
import Files
import Logging
import Model
import Store
import Tree
import Uploads

extension InboxWatcher {
    /// The time after the publication of a post during which a late document can add its text to it.
    private static let lateTime = Duration.seconds(24 * 3600)

    /// Handles a text, or the video of a Live Photo, that has no photo beside it, perhaps because the photo has been
    /// claimed already. A text that can never be added is rejected; after another error, the file stays for a later
    /// attempt.
    ///
    /// - Returns: The claim of a video without a still image, which is processed like a photo; nil in all other cases.
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
                // The video of a Live Photo is ignored.
                if !SidecarNames.isVideo(late.name) { try await addText(in: late, to: photo, receipt) }
                return nil
            }
            if SidecarNames.isVideo(late.name) { return await take(late, events) }
            // The next walk finds it again.
            if try await waits(late, for: photos) { return nil }
            throw Failure(
                .badSidecar, "\(late.name) has no photo beside it",
                hint: "Put the text there before the photo, or use a folder NAME.post.")
        } catch let refusal as Failure where !refusal.isTransient {
            await reject(RejectedFile(place: late.place, name: late.name, reason: refusal))
        } catch {
            if await !tools.disk.report(error) { note(error as? FileError, in: late.place.root) }
        }
        return nil
    }

    /// Whether one of some photos may still arrive: the text is recent, or an unfinished photo is beside it.
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

    /// Returns the first of some photos that was claimed from the folder, with its receipt.
    private func receipt(
        ofOneOf photos: [String], _ late: Candidate
    ) async throws -> (photo: String, receipt: ArchiveDocument)? {
        let done = tools.storage.done
        return try await FileThreads.run {
            let folders = [late.owner.description] + late.place.path
            // Without the folder in `done/`, no photo was claimed.
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

    /// Adds the document's texts to the photo's post, if that is recent and has none of them, and moves the document
    /// beside the photo.
    private func addText(in late: Candidate, to photo: String, _ receipt: ArchiveDocument) async throws {
        let storage = tools.storage
        let sidecar = try await FileThreads.run {
            try Sidecar.read(late.place.open(in: storage.inbox).file(late.name), named: late.name)
        }
        guard sidecar.audiences.isEmpty else {
            throw Failure(
                .badSidecar,
                "\(late.name) names audiences, and arrived after its photo: post \(receipt.post ?? "unknown") already exists",
                hint:
                    "Delete that post if it must not be visible to everybody. Put a document with audiences there before its photo, or into a folder NAME.post with it."
            )
        }
        let isYoung = receipt.publishedAt.map { storage.clock() - $0 < Self.lateTime } ?? false
        // With moderation, the text would not be moderated.
        guard receipt.outcome == "published", isYoung, !tools.isModerated,
            let post = receipt.post.flatMap({ PostID($0) }),
            try await LateText(sidecar).add(to: post, of: late.owner, in: tools.tree)
        else {
            throw Failure(
                .badSidecar, "\(late.name) arrived after its photo, which is post \(receipt.post ?? "unknown")",
                hint:
                    "Add this text to the post yourself. A late text is added within a day, to a post that has none, if posts are not moderated."
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
            "added a late text",
            metadata: ["post": "\(post)", "file": "\(late.place.description(of: late.name).printable)"])
    }
}
