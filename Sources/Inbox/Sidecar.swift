import API
import Files
import Foundation
import Model
import Tree
import Uploads

/// The texts of a photo: `photo.jpg.json` beside it, or `post.json` in a folder `NAME.post`.
///
///     { "text": "At the lake #summer", "alt": "Two children on a jetty" }
///
/// `audiences` contains the audiences of the post, as a text separated by spaces or as a list; without it, the post is
/// for everybody.
///
/// Other programs call the text `caption` or `description`. `alt` is a description of the photo; for several photos it
/// is a list, in the order of their names. Other fields are ignored. A document without any of these fields is refused,
/// because its text would be lost.
struct Sidecar: Decodable {
    static let suffix = ".json"
    static let postFolderSuffix = ".post"
    static let nameInPostFolder = "post.json"
    private static let maxBytes = 64 * 1024
    /// The fields that contain a text, in the order of precedence.
    private static let textFields = ["text", "caption", "description"]
    /// The fields of a document without a text: Google Takeout's, for a photo without a description.
    private static let fieldsWithoutText = ["photoTakenTime", "creationTime"]
    private static let altField = "alt"
    /// The fields for audiences. Misspellings are refused, because the post would be published for everybody.
    private static let audienceFields = ["audiences", "audience"]

    /// The text; empty if there is none.
    let text: String
    /// The alternative texts of the photos, in their order; may be fewer than the photos.
    let alts: [String]
    /// The audiences of the post; empty for everybody.
    let audiences: [AudienceID]
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
        self.text = text ?? ""
        let alt = Field(stringValue: Self.altField)
        if let one = try? container.decodeIfPresent(String.self, forKey: alt) {
            alts = [one]
        } else {
            alts = try container.decodeIfPresent([String].self, forKey: alt) ?? []
        }
        var words: [String] = []
        for name in Self.audienceFields where fields.contains(name) {
            let field = Field(stringValue: name)
            if let text = try? container.decode(String.self, forKey: field) {
                words += text.split { $0 == " " || $0 == "," }.map(String.init)
            } else {
                words += try container.decode([String].self, forKey: field)
            }
        }
        audiences = Set(words.compactMap { AudienceID($0) }).sorted()
        let isGiven = !Set(Self.audienceFields).isDisjoint(with: fields)
        guard words.allSatisfy({ AudienceID($0) != nil }), audiences.count <= PostAudiences.maxCount,
            !isGiven || !audiences.isEmpty
        else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "invalid audiences"))
        }
    }

    /// Whether the document certainly contains no other text.
    private var isUnderstood: Bool {
        fields.isEmpty
            || fields.contains { name in
                (Self.textFields + Self.audienceFields + [Self.altField]).contains(name)
                    || Self.fieldsWithoutText.contains(name)
            }
    }

    /// Returns the document for the photos of an upload; nil if there are no texts and audiences.
    static func document(text: String, alts: [String], audiences: [AudienceID]) -> [UInt8]? {
        var fields: [TreeKey: TreeValue] = [:]
        if !text.isEmpty { fields["text"] = .string(text) }
        if alts.contains(where: { !$0.isEmpty }) {
            // Children with the keys 0, 1, 2 … are a list in JSON.
            let list = alts.enumerated().map { (TreeKey(unchecked: "\($0)"), TreeValue.string($1)) }
            fields["alt"] = .object(Dictionary(uniqueKeysWithValues: list))
        }
        // Photos that are put into the inbox again are posted for the same audiences.
        if !audiences.isEmpty { fields["audiences"] = .string(audiences.map(\.description).joined(separator: " ")) }
        return fields.isEmpty ? nil : TreeValue.object(fields).json()
    }

    static func name(of photo: String) -> String { photo + suffix }

    static func photoName(of sidecar: String) -> String? {
        sidecar.hasSuffix(suffix) ? String(sidecar.dropLast(suffix.count)) : nil
    }

    /// Reads a document.
    ///
    /// - Throws: `Failure` `bad_sidecar` that names the file.
    static func read(_ reader: FileReader, named name: String) throws -> Sidecar {
        try read(reader.readAll(maxBytes: maxBytes), named: name)
    }

    static func read(_ bytes: [UInt8], named name: String) throws(Failure) -> Sidecar {
        guard bytes.count <= maxBytes else {
            throw Failure(.badSidecar, "\(name) has more than \(maxBytes) bytes", hint: "Store only a text in it.")
        }
        guard let sidecar = try? JSONDecoder().decode(Sidecar.self, from: Data(bytes)) else {
            throw Failure(
                .badSidecar,
                "\(name) is not a JSON object with a \"text\" string, or its \"alt\" or \"audiences\" are invalid",
                hint: #"Write {"text": "…", "alt": "…"}."#)
        }
        guard sidecar.isUnderstood else {
            let fields = sidecar.fields.prefix(5).map { "\"\($0.prefix(40))\"" }.joined(separator: ", ")
            throw Failure(
                .badSidecar, "\(name) has no known field for a text; it has \(fields)",
                hint: #"Write {"text": "…"}, or use "caption" or "description" as the name."#)
        }
        return sidecar
    }
}
