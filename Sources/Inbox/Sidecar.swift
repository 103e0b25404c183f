import API
import Files
import Foundation
import Model
import Tree
import Uploads

/// A person's words about a photo: `photo.jpg.json` beside it, or `post.json` in a folder `NAME.post`.
///
///     { "text": "At the lake #summer", "alt": "Two children on a jetty" }
///
/// `audiences` names for whom the post is, as a text with spaces between or as a list; without it, it is for everybody.
///
/// Other programs call the text `caption` or `description`. `alt` is what the photo shows, in words; of several photos a list,
/// in the order of their names. Fields beside these are kept for their owners and ignored; a document without any of these is
/// refused, for its text would be lost.
struct Sidecar: Decodable {
    static let suffix = ".json"
    static let postFolderSuffix = ".post"
    static let nameInPostFolder = "post.json"
    private static let maxBytes = 64 * 1024
    /// The fields that hold a text, the one that counts first.
    private static let textFields = ["text", "caption", "description"]
    /// The fields of a document without a text: Google Takeout's, of a photo that nobody described.
    private static let fieldsWithoutText = ["photoTakenTime", "creationTime"]
    private static let altField = "alt"
    /// The fields that say for whom a post is: who errs by a letter must not tell everybody.
    private static let audienceFields = ["audiences", "audience"]

    /// Empty when there is none.
    let text: String
    /// The alternative texts of the photos, in their order; there may be fewer of them.
    let alts: [String]
    /// For whom the post is; everybody when there are none.
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
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "these are no audiences"))
        }
    }

    /// Whether it is certain that no text is lost with it.
    private var isUnderstood: Bool {
        fields.isEmpty
            || fields.contains { name in
                (Self.textFields + Self.audienceFields + [Self.altField]).contains(name)
                    || Self.fieldsWithoutText.contains(name)
            }
    }

    /// The document of a post that was to be made of photos; nil where there is nothing to say.
    static func document(text: String, alts: [String], audiences: [AudienceID]) -> [UInt8]? {
        var fields: [TreeKey: TreeValue] = [:]
        if !text.isEmpty { fields["text"] = .string(text) }
        if alts.contains(where: { !$0.isEmpty }) {
            // Children that are called 0, 1, 2 … are a list in JSON.
            let list = alts.enumerated().map { (TreeKey(unchecked: "\($0)"), TreeValue.string($1)) }
            fields["alt"] = .object(Dictionary(uniqueKeysWithValues: list))
        }
        // Whoever puts the photos into the inbox again has them for the same people, and nobody else.
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
            throw Failure(.badSidecar, "\(name) has more than \(maxBytes) bytes", hint: "it only needs a text")
        }
        guard let sidecar = try? JSONDecoder().decode(Sidecar.self, from: Data(bytes)) else {
            throw Failure(
                .badSidecar,
                "\(name) is no JSON object with a \"text\" string, or its \"alt\" or \"audiences\" are none",
                hint: #"write {"text": "…", "alt": "…"}"#)
        }
        guard sidecar.isUnderstood else {
            let fields = sidecar.fields.prefix(5).map { "\"\($0.prefix(40))\"" }.joined(separator: ", ")
            throw Failure(
                .badSidecar, "\(name) has no field that is known to hold a text; it has \(fields)",
                hint: #"write {"text": "…"}; "caption" and "description" are read, too"#)
        }
        return sidecar
    }
}
