import Files
import Foundation
import TreeModel

/// The document beside a file or folder in `done/` or `failed/`, as far as the inbox reads it: a receipt or a reason.
///
/// ``Receipt`` and ``FailureReason`` write them.
struct ArchiveDocument: Decodable, Sendable {
    /// The name of the file or folder.
    let file: String?
    /// The id of the upload.
    let upload: String?
    /// The mark that distinguishes a file that became no upload from others of its name.
    let mark: String?
    /// The path of the file in the user's folder; nil for a photo that was uploaded by HTTP.
    let source: String?
    /// The end of the upload: `published` or `duplicate`.
    let outcome: String?
    /// The post that contains the photos.
    let post: String?
    /// The time of publication.
    let publishedAt: Timestamp?
    /// The SHA-256 of the photos, in their order, separated by spaces.
    let sha256: String?

    private enum CodingKeys: String, CodingKey {
        case file, upload, mark, source, outcome, post, sha256
        case publishedAt = "published_at"
    }

    /// Reads a document; nil if it does not exist or was not written by this service.
    static func read(_ name: String, in folder: Directory) throws(FileError) -> ArchiveDocument? {
        guard try folder.entry(name)?.kind == .file else { return nil }
        let bytes = try folder.file(name).readAll(maxBytes: 1 << 20)
        return try? JSONDecoder().decode(ArchiveDocument.self, from: Data(bytes))
    }
}
