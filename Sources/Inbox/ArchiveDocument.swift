import Files
import Foundation
import TreeModel

/// The document beside a thing in `done/` or `failed/`, as far as the inbox goes by it: a receipt or a reason.
///
/// ``Receipt`` and ``FailureReason`` write them.
struct ArchiveDocument: Decodable, Sendable {
    /// The thing's name in the folder.
    let file: String?
    /// The upload that the thing was.
    let upload: String?
    /// The mark that tells a thing that became no upload apart from others of its name.
    let mark: String?
    /// The path of the thing in the user's folder; nil for a photo that came by HTTP.
    let source: String?
    /// The end of the upload: `published` or `duplicate`.
    let outcome: String?
    /// The post that has the thing's photos.
    let post: String?
    /// When it was published.
    let publishedAt: Timestamp?
    /// The SHA-256 of the photos, in their order, with spaces between.
    let sha256: String?

    private enum CodingKeys: String, CodingKey {
        case file, upload, mark, source, outcome, post, sha256
        case publishedAt = "published_at"
    }

    /// Reads a document; nil when there is none of the name, or none of ours.
    static func read(_ name: String, in folder: Directory) throws(FileError) -> ArchiveDocument? {
        guard try folder.entry(name)?.kind == .file else { return nil }
        let bytes = try folder.file(name).readAll(maxBytes: 1 << 20)
        return try? JSONDecoder().decode(ArchiveDocument.self, from: Data(bytes))
    }
}
