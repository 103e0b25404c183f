import Foundation
import Model
import Store
import TestSupport
import Testing
import Tree
import Uploads

@Suite("F11, P26: the documents that clients read have the shape of Fixtures/entities")
struct EntityTests {
    /// The shape of a document as paths and kinds of leaves, on which a client's decoder depends.
    private func shape(_ value: Any, at path: String = "", into shape: inout Set<String>) {
        switch value {
        case let object as [String: Any]:
            for (key, child) in object { self.shape(child, at: "\(path)/\(key)", into: &shape) }
        case let list as [Any]:
            for (index, child) in list.enumerated() { self.shape(child, at: "\(path)/\(index)", into: &shape) }
        case is String: shape.insert("\(path): string")
        default: shape.insert("\(path): true or number")
        }
    }

    private func shape(ofJSON bytes: [UInt8]) throws -> Set<String> {
        var result: Set<String> = []
        shape(try JSONSerialization.jsonObject(with: Data(bytes)), into: &result)
        return result
    }

    @Test(arguments: ["post", "person", "upload"])
    func entity(name: String) async throws {
        let golden = try shape(ofJSON: Fixture.bytes("entities/\(name).json"))
        try await withPipeline { running in
            let record = try await running.upload(
                [("lake.jpg", try Fixture.bytes("orientation-6-ii.jpg"))], by: "maria", text: "At the lake #summer",
                alt: "A jetty", reference: "reference")
            let paths: [String: TreePath] = [
                "post": PostNodes.post(record.id), "person": PeopleNodes.person(record.owner),
                "upload": UploadNodes.upload(record.id),
            ]
            let value = try await running.storage.tree.get(paths[name] ?? .root)
            let json = String(decoding: try #require(value).json(), as: UTF8.self)
                .replacingOccurrences(of: record.id.description, with: "POST")
                .replacing(/-[0-9a-z]{10},/, with: "-ATTEMPT,")
            #expect(try shape(ofJSON: Array(json.utf8)) == golden)
        }
    }
}
