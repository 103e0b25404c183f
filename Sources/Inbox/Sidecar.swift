import Blobs
import Foundation
import Pipeline

/// What a person says about a photo: `photo.jpg.json` beside it, or `post.json` in a folder `NAME.post`.
///
///     { "text": "At the lake #summer" }
///
/// Other programs call it `caption` or `description`. Fields beside it are kept for their owners and ignored; a document
/// without any of these is refused, for its text would be lost.
struct Sidecar: Decodable {
    static let suffix = ".json"
    static let postFolderSuffix = ".post"
    static let nameInPostFolder = "post.json"
    private static let maxBytes = 64 * 1024
    /// What holds a text, the one that counts first.
    private static let textFields = ["text", "caption", "description"]
    /// Of these a document may consist that has no text: Google Takeout's of a photo that nobody described.
    private static let fieldsWithoutText = ["photoTakenTime", "creationTime"]

    /// Nil when there is no field for one.
    let text: String?
    let fields: [String]

    private struct Field: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Field.self)
        fields = container.allKeys.map(\.stringValue).sorted()
        var text: String?
        for name in Self.textFields where fields.contains(name) && text?.isEmpty ?? true {
            text = try container.decodeIfPresent(String.self, forKey: Field(stringValue: name)) ?? text ?? ""
        }
        self.text = text
    }

    static func name(of photo: String) -> String { photo + suffix }

    static func photoName(of sidecar: String) -> String? {
        sidecar.hasSuffix(suffix) ? String(sidecar.dropLast(suffix.count)) : nil
    }

    /// Reads the text.
    ///
    /// - Throws: `PipelineError` `bad_sidecar` that names the file.
    static func text(in reader: FileReader, named name: String) throws -> String {
        try text(inDocument: reader.readAll(maxBytes: maxBytes), named: name)
    }

    static func text(inDocument bytes: [UInt8], named name: String) throws(PipelineError) -> String {
        guard bytes.count <= maxBytes else {
            throw PipelineError(.badSidecar, "\(name) has more than \(maxBytes) bytes", hint: "it only needs a text")
        }
        guard let sidecar = try? JSONDecoder().decode(Sidecar.self, from: Data(bytes)) else {
            throw PipelineError(
                .badSidecar, "\(name) is no JSON object with a \"text\" string", hint: #"write {"text": "…"}"#)
        }
        let isWithoutText = sidecar.fields.isEmpty || sidecar.fields.contains(where: fieldsWithoutText.contains)
        guard let text = sidecar.text ?? (isWithoutText ? "" : nil) else {
            let fields = sidecar.fields.prefix(5).map { "\"\($0.prefix(40))\"" }.joined(separator: ", ")
            throw PipelineError(
                .badSidecar, "\(name) has no field that is known to hold a text; it has \(fields)",
                hint: #"write {"text": "…"}; "caption" and "description" are read, too"#)
        }
        return text
    }
}
