import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("Feeds of stores of earlier versions")
struct EarlierFeedTests {
    @Test("Lists from before they had authors can still be read")
    func earlierLists() async throws {
        try await withFeeds { model in
            try await model.follow("ann", "bob")
            for (id, uid) in [("b", "bob"), ("e", "eve"), ("a", "ann")] { try await model.post(id, by: uid) }
            for row in try await model.tree.children(of: PostNodes.published()) {
                let id = try #require(row.value.stringValue?.prefix { $0 != "/" })
                try await model.tree.set(PostNodes.published() / row.key, to: .string(String(id)))
            }
            #expect(try await model.page(of: "ann").ids == ["a", "b"])
        }
    }
}
