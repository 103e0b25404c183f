import Model
import Store
import TestSupport
import Testing
import Tree
import Uploads

@Suite("K2: a client's reference finds its upload again")
struct IdempotencyTests {
    @Test func aRepeatedReferenceGivesTheSamePost() async throws {
        try await withPipeline { running in
            let photo = (name: "a.jpg", bytes: try Fixture.bytes("baseline-420.jpg"))
            let first = try await running.upload([photo], by: "u", text: "one", reference: "ref.1/$#[]")
            let second = try await running.upload([photo], by: "u", text: "two", reference: "ref.1/$#[]")
            let other = try await running.upload([photo], by: "v", text: "three", reference: "ref.1/$#[]")
            #expect(first.id == second.id)
            #expect(first.id != other.id, "references belong to a user")
            let post = try await running.storage.tree.get(PostNodes.post(first.id))
            #expect(post?["text"]?.stringValue == "one")
            #expect(post?["client_ref"]?.stringValue == "ref.1/$#[]")
        }
    }

    @Test("Twenty concurrent requests with one reference: one post; the others fail with that reason or get the post")
    func race() async throws {
        try await withPipeline { running in
            let photo = (name: "a.jpg", bytes: try Fixture.bytes("baseline-420.jpg"))
            let ids = await withTaskGroup(of: PostID?.self) { group in
                for _ in 0..<20 {
                    group.addTask { try? await running.upload([photo], by: "u", reference: "one").id }
                }
                return await group.reduce(into: Set<PostID>()) { if let id = $1 { $0.insert(id) } }
            }
            #expect(ids.count == 1)
            #expect(try await running.storage.tree.keys(of: PostNodes.post()).count == 1)
        }
    }
}
