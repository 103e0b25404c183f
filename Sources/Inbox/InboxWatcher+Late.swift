import API
import Files
import Foundation
import Logging
import Pipeline
import Posts
import Tree

extension InboxWatcher {
    /// How long after its publication a post without a text gets one from a document that came late, in milliseconds.
    private static let lateTime: Int64 = 24 * 3_600_000

    /// Deals with what lies without its photo: that may have been taken already.
    ///
    /// - Returns: What was claimed, if it is to be taken like anything else.
    func takeLate(_ late: Candidate, _ events: InboxEvents) async -> UploadRecord? {
        do {
            let photos =
                SidecarNames.isVideo(late.name)
                ? SidecarNames.stills(of: late.name) : SidecarNames.photos(of: late.name)
            let sources = Set(photos.map { (late.place.path + [$0]).joined(separator: "/") })
            let unfinished = try await service.store.unfinished(from: .inbox)
            if unfinished.contains(where: { $0.owner == late.owner && sources.contains($0.source ?? "") }) {
                events.lookAgain(at: late.place.path + [late.name], of: late.place.user, after: .seconds(1))
                return nil
            }
            if let (photo, receipt) = try await receipt(ofOneOf: photos, late) {
                // The moving part of a Live Photo is left alone.
                if !SidecarNames.isVideo(late.name) { try await addText(in: late, to: photo, receipt) }
                return nil
            }
            if SidecarNames.isVideo(late.name) { return await take(late, events) }
            throw Failure(
                .badSidecar, "\(late.name) has no photo beside it",
                hint: "put the text there before the photo, or use a folder NAME.post")
        } catch let refusal as Failure where !refusal.isTransient {
            await reject(RejectedFile(place: late.place, name: late.name, reason: refusal))
        } catch {
            if await !service.disk.isPaused(by: error) { note(error as? FileError, in: late.place.user) }
        }
        return nil
    }

    /// What a receipt says, as far as it matters here.
    private struct Note: Decodable, Sendable {
        let outcome: String
        let post: String
        let publishedAt: Int64?

        private enum CodingKeys: String, CodingKey {
            case outcome, post
            case publishedAt = "published_at"
        }
    }

    /// The first of some photos that was taken from the place, and its receipt.
    private func receipt(ofOneOf photos: [String], _ late: Candidate) async throws -> (photo: String, note: Note)? {
        let done = service.storage.done
        return try await FileThreads.run {
            let folders = [late.owner.description] + late.place.path
            // Where nothing was taken, nothing is.
            guard let folder = try? done.folder(below: folders) else { return nil }
            for photo in photos where try folder.entry(photo) != nil {
                let document = FileName.document(of: photo, kind: "receipt")
                guard try folder.entry(document)?.kind == .file else { continue }
                let bytes = try folder.file(document).readAll(maxBytes: 1 << 16)
                if let note = try? JSONDecoder().decode(Note.self, from: Data(bytes)) { return (photo, note) }
            }
            return nil
        }
    }

    /// Gives the photo's post what the document says, if it is young and has nothing of that, and puts the document beside the photo.
    private func addText(in late: Candidate, to photo: String, _ note: Note) async throws {
        let storage = service.storage
        let sidecar = try await FileThreads.run {
            try Sidecar.read(late.place.open(in: storage.inbox).file(late.name), named: late.name)
        }
        let isYoung = note.publishedAt.map { storage.clock() - $0 < Self.lateTime } ?? false
        guard note.outcome == "published", isYoung, let post = PostID(note.post),
            try await LateText(sidecar).add(to: post, of: late.owner, in: service.tree)
        else {
            throw Failure(
                .badSidecar, "\(late.name) came after its photo, which is post \(note.post)",
                hint:
                    "a text that comes late is added within a day, to a post that has none; write this one there by hand"
            )
        }
        try await FileThreads.run {
            let folder = try storage.done.folder(below: [late.owner.description] + late.place.path, create: true)
            let name = Sidecar.name(of: photo)
            let isTaken = try folder.entry(name) != nil
            let place = try late.place.open(in: storage.inbox)
            let mark = note.post
            let newName = isTaken ? FileName.marked(name, with: mark) : name
            try place.bring(late.name, to: folder, as: newName, via: ".\(mark).part")
        }
        logger.info(
            "a text came late",
            metadata: ["post": "\(note.post)", "file": "\(late.place.description(of: late.name).printable)"])
    }
}
