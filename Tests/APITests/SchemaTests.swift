import API
import Foundation
import Testing
import TreeModel

@Suite("Schemas of documents, derived from their types")
struct SchemaTests {
    @Test("Each document has samples of all its types; otherwise its schema would lack fields")
    func complete() {
        var schemas = Schemas()
        let documents: [any Document.Type] = [
            ChangesDocument.self, DeletionDocument.self, FailedFileDocument.self, OutcomeDocument.self,
            PersonDocument.self, PostEventDocument.self, PostPageDocument.self, ProblemDocument.self,
            PublishedDocument.self, ReadinessDocument.self, ReloadDocument.self, RenderDocument.self,
            JobDocument.self, JobFailureDocument.self, ScrubDocument.self, SettingDocument.self,
            StatusDocument.self,
            TransferDocument.self, UnclaimedDocument.self, UploadDocument.self, ValuesDocument.self,
            VersionDocument.self,
            JoinedDocument<UnclaimedDocument, PathDocument>.self,
        ]
        for document in documents { _ = schemas.schema(of: document) }
        #expect(schemas.incomplete.isEmpty)
        #expect(schemas.components.count > documents.count)
    }

    @Test("A field has its type, and is required unless it is optional")
    func fields() throws {
        enum Word: String, Codable, CaseIterable { case one, two }
        struct Part: Document {
            let number: Double
        }
        struct Whole: Document {
            let text: String
            let count: Int?
            let words: [Word]
            let parts: [String: Part]
            let flag: Bool?
            let value: TreeValue?
        }
        var schemas = Schemas()
        let reference = try name(of: schemas.schema(of: Whole.self))
        let whole = try #require(schemas.components[reference])
        #expect(whole["required"] == ["text", "words", "parts"])
        let properties = try #require(whole["properties"])
        #expect(properties["text"] == ["type": "string"])
        #expect(properties["count"] == ["type": "integer"])
        #expect(properties["flag"] == ["type": "boolean"])
        #expect(properties["value"] == [:], "not `true`, which generators of clients do not read")
        let items = try #require(properties["words"]?["items"])
        let word = try name(of: items)
        #expect(schemas.components[word] == ["type": "string", "enum": ["one", "two"]])
        let values = try #require(properties["parts"]?["additionalProperties"])
        let part = try #require(schemas.components[try name(of: values)])
        #expect(part["properties"] == ["number": ["type": "number"]])
    }

    @Test("A type that cannot be sampled is reported")
    func incomplete() {
        struct Pair: Document {
            let text: String

            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                text = try container.decode(String.self)
            }
        }
        struct Holder: Document {
            let pair: Pair
            let after: String
        }
        var schemas = Schemas()
        _ = schemas.schema(of: Holder.self)
        #expect(schemas.incomplete.count == 2)
    }

    private func name(of reference: JSONValue) throws -> String {
        guard case .string(let text)? = reference["$ref"] else { throw CancellationError() }
        return String(text.split(separator: "/").last ?? "")
    }
}
