package import API
import Files
import Foundation
import Model
import Store
import TreeModel

/// Whoever decides, before a post is published, whether and how it is shown: a program or an address of the operator's.
///
/// No answer is no decision: the upload waits, and whoever asks for it is told why. A photo is shown to the moderator as its
/// largest rendition, which every decoder of theirs understands, whatever was sent.
package struct Moderator: Sendable {
    /// How photos get to the moderator.
    package enum Photos: Sendable {
        /// The paths of their files, where the blob store has files (``BlobStore/folderPath``); else their bytes.
        case paths
        /// Their bytes, in the question.
        case bytes
    }

    /// The longest answer, in bytes.
    package static let maxAnswerBytes = 65_536
    /// The time that a moderator has for an answer.
    package static let time = Duration.seconds(30)
    /// The most bytes of photos in one question, unless even the smallest renditions have more.
    static let maxPhotoBytes = 12 << 20

    private let photos: Photos
    private let ask: @Sendable (_ json: [UInt8]) async throws -> [UInt8]

    /// - Parameter ask: Hands the question over, a `ModerationRequest`, and brings the answer, at most ``maxAnswerBytes``.
    package init(photos: Photos, ask: @escaping @Sendable (_ json: [UInt8]) async throws -> [UInt8]) {
        self.photos = photos
        self.ask = ask
    }

    /// What the moderator says of a rendered upload, and of each of its photos.
    ///
    /// - Throws: `Failure` with the code `moderation_unavailable`, which is transient, for anything but an answer that can be
    ///   understood; a failure of the blob store; `CancellationError`.
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
            throw Self.unavailable("its answer is no decision: \(String(decoding: answer.prefix(80), as: UTF8.self))")
        }
        guard let photos = verdict.decisions(photoCount: record.photos.count) else {
            throw Self.unavailable("its answer names a photo that is not there")
        }
        return (verdict, photos)
    }

    private static func unavailable(_ why: String) -> Failure {
        Failure(
            .moderationUnavailable, "the moderator has not decided: \(String(why.printable.prefix(300)))",
            hint: "it is asked again by itself", isTransient: true)
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

    /// The rendition that is shown: the largest one, of those whose bytes there is room for.
    private func rendition(
        of photo: UploadRecord.Photo, among count: Int, asBytes: Bool
    ) -> PhotoRecord.Rendition? {
        guard let rendered = photo.rendered else { return nil }
        let all = rendered.renditions.values.sorted {
            ($0.width * $0.height, $0.byteCount, $0.fileName) < ($1.width * $1.height, $1.byteCount, $1.fileName)
        }
        // Of a rendition with other proportions something was cut off.
        let whole = all.filter {
            abs($0.width * rendered.height - $0.height * rendered.width) <= max(rendered.width, rendered.height)
        }
        let bySize = whole.isEmpty ? all : whole
        guard asBytes else { return bySize.last }
        return bySize.last { $0.byteCount <= Self.maxPhotoBytes / max(1, count) } ?? bySize.first
    }
}

extension Failure {
    /// The end of an upload that moderation refused.
    package static func refusedByModeration(_ verdict: ModerationVerdict) -> Failure {
        let reason = verdict.printableReason
        return Failure(
            .moderationRefused, "moderation refused it" + (reason.isEmpty ? "" : ": \(reason)"),
            hint: "whoever moderates here decided so; ask them")
    }
}
