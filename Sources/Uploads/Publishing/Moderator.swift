package import API
import Concurrency
import Files
import Foundation
import Model
import Store
import TreeModel

/// The moderator, who decides before publication whether and how a post is shown: a program or an address of the
/// operator's.
///
/// Without an answer there is no decision: the upload waits, and its record shows the reason. A photo is sent to the
/// moderator as its largest rendition, whose format every decoder supports, whatever the sender's format was.
package struct Moderator: Sendable {
    /// The form in which photos are passed to the moderator.
    package enum Photos: Sendable {
        /// The paths of the photos' files, if the blob store has files (``BlobStore/folderPath``); otherwise their
        /// bytes.
        case paths
        /// The photos' bytes, in the request.
        case bytes
    }

    /// The largest size of an answer, in bytes.
    package static let maxAnswerBytes = 65_536
    /// The time limit of an answer.
    package static let time = Duration.seconds(30)
    /// The largest total size of photos in one request, in bytes, unless even the smallest renditions are larger.
    static let maxPhotoBytes = 12 << 20

    /// The number of concurrent requests about edits.
    private static let editCount = 4

    private let photos: Photos
    private let edits = AsyncSemaphore(Self.editCount, maxWaiting: 64, maxWaitingOfOwner: 4)
    private let ask: @Sendable (_ json: [UInt8]) async throws -> [UInt8]

    /// - Parameter ask: Sends a request, a `ModerationRequest`, and returns the answer, at most ``maxAnswerBytes``.
    package init(photos: Photos, ask: @escaping @Sendable (_ json: [UInt8]) async throws -> [UInt8]) {
        self.photos = photos
        self.ask = ask
    }

    /// Requests the moderator's decision about a rendered upload and each of its photos.
    ///
    /// - Throws: `Failure` with the code `moderation_unavailable`, which is transient, if there is no valid answer; a
    ///   failure of the blob store; `CancellationError`.
    func verdict(
        on record: UploadRecord, from blobs: any BlobStore
    ) async throws -> (verdict: ModerationVerdict, photos: [ModerationDecision]) {
        let question = try await question(about: record, from: blobs).json()
        let answer: [UInt8]
        do {
            answer = try await ask(question)
        } catch {
            try Task.checkCancellation()
            throw Self.unavailable("\(error)")
        }
        guard answer.count <= Self.maxAnswerBytes else { throw Self.unavailable("its answer is too long") }
        guard let verdict = try? ModerationVerdict(json: Data(answer)) else {
            throw Self.unavailable("its answer is malformed: \(String(decoding: answer.prefix(80), as: UTF8.self))")
        }
        guard let photos = verdict.decisions(photoCount: record.photos.count) else {
            throw Self.unavailable("its answer names a photo that does not exist")
        }
        return (verdict, photos)
    }

    /// Requests the decision about a post with the words of an edit, of which few are decided at a time.
    ///
    /// - Throws: See ``verdict(on:from:)``.
    func verdictOnEdit(
        _ record: UploadRecord, from blobs: any BlobStore
    ) async throws -> (verdict: ModerationVerdict, photos: [ModerationDecision]) {
        guard await edits.wait(for: record.owner.description) else {
            try Task.checkCancellation()
            throw Self.unavailable("too many edits wait for it")
        }
        defer { edits.signal() }
        return try await verdict(on: record, from: blobs)
    }

    private static func unavailable(_ why: String) -> Failure {
        Failure(
            .moderationUnavailable, "the moderator has not decided: \(String(why.printable.prefix(300)))",
            hint: "Wait: the request is repeated automatically.", isTransient: true)
    }

    private func question(about record: UploadRecord, from blobs: any BlobStore) async throws -> ModerationRequest {
        let folder = self.photos == .paths ? blobs.folderPath : nil
        var photos: [ModerationRequest.Photo] = []
        for (index, photo) in record.orderedPhotos.enumerated() {
            guard let rendition = rendition(of: photo, among: record.photos.count, asBytes: folder == nil) else {
                throw Self.unavailable("photo \(index) has no rendition to show")
            }
            var shown = ModerationRequest.Photo(
                index: index, type: rendition.contentType, width: rendition.width, height: rendition.height)
            if !photo.alt.isEmpty { shown.alt = photo.alt }
            if let folder {
                shown.path = "\(folder)/\(record.owner)/\(record.id)/\(rendition.fileName)"
            } else {
                let file = try await blobs.open(try record.blobName(rendition.fileName))
                let bytes = try await FileThreads.run { () throws in
                    try file.readAll(maxBytes: max(Self.maxPhotoBytes, rendition.byteCount))
                }
                shown.data = Data(bytes).base64EncodedString()
            }
            photos.append(shown)
        }
        return ModerationRequest(
            kind: record.purpose.rawValue, post: record.id.description, uid: record.owner.description,
            text: record.text, photos: photos)
    }

    /// Returns the rendition for the moderator: the largest one that fits into the request.
    private func rendition(
        of photo: UploadRecord.Photo, among count: Int, asBytes: Bool
    ) -> PhotoRecord.Rendition? {
        guard let rendered = photo.rendered else { return nil }
        let all = rendered.renditions.values.sorted {
            ($0.width * $0.height, $0.byteCount, $0.fileName) < ($1.width * $1.height, $1.byteCount, $1.fileName)
        }
        // A rendition with other proportions is cropped.
        let whole = all.filter {
            abs($0.width * rendered.height - $0.height * rendered.width) <= max(rendered.width, rendered.height)
        }
        let bySize = whole.isEmpty ? all : whole
        guard asBytes else { return bySize.last }
        return bySize.last { $0.byteCount <= Self.maxPhotoBytes / max(1, count) } ?? bySize.first
    }
}

extension Failure {
    /// Creates the permanent failure of an upload that moderation refused.
    package static func refusedByModeration(_ verdict: ModerationVerdict) -> Failure {
        let reason = verdict.printableReason
        return Failure(
            .moderationRefused, "moderation refused it" + (reason.isEmpty ? "" : ": \(reason)"),
            hint: "Contact the moderators of this service, who decided so.")
    }
}
