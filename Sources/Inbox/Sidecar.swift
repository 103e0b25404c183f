import Blobs
import Foundation
import Pipeline

/// What a person says about a photo: `photo.jpg.json` beside it, or `post.json` in a folder `NAME.post`.
///
///     { "text": "At the lake #summer" }
///
/// `text` is all that is read; other fields are kept for their owners and ignored.
struct Sidecar: Decodable {
    static let suffix = ".json"
    static let postFolderSuffix = ".post"
    static let nameInPostFolder = "post.json"
    private static let maxBytes = 64 * 1024

    let text: String?

    static func name(of photo: String) -> String { photo + suffix }

    static func photoName(of sidecar: String) -> String? {
        sidecar.hasSuffix(suffix) ? String(sidecar.dropLast(suffix.count)) : nil
    }

    /// Reads the text.
    ///
    /// - Throws: `PipelineError` `bad_sidecar` that names the file.
    static func text(in reader: FileReader, named name: String) throws -> String {
        let bytes = try reader.readAll(maxBytes: maxBytes)
        guard bytes.count <= maxBytes else {
            throw PipelineError(.badSidecar, "\(name) has more than \(maxBytes) bytes", hint: "it only needs a text")
        }
        do {
            return try JSONDecoder().decode(Sidecar.self, from: Data(bytes)).text ?? ""
        } catch {
            throw PipelineError(
                .badSidecar, "\(name) is no JSON object with a \"text\" string", hint: #"write {"text": "…"}"#)
        }
    }
}
