import Foundation
import TestSupport
import Testing

@Suite("The first start on a store of an earlier version", .timeLimit(.minutes(20)))
struct EarlierStoreTests {
    @Test(
        "It may be killed at any step while it adds the posts to the order of publication; the next one continues",
        arguments: ["before", "after"], 1...3)
    func killed(side: String, step: Int) async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            try FileManager.default.copyItem(atPath: Fixture.path("store-0.1"), toPath: storage)
            let first = try await run(
                ["serve", "--storage", storage],
                environment: ["TINTYPE_FAILPOINTS": "\(side)-step:posts-ordered=crash@\(step)"])
            #expect(first.status != 0)
            let daemon = try await Daemon(storage: storage)
            let posts = try await daemon.get("/v1/posts").json(Page.self).posts.map(\.postId)
            #expect(posts.count == 5 && posts == posts.sorted().reversed())
            let marias = try await daemon.get("/v1/people/maria/posts").json(Page.self).posts
            #expect(marias.count == 3 && marias.allSatisfy { posts.contains($0.postId) })
            #expect(try await daemon.stop() == 0)
        }
    }

    private struct Page: Decodable {
        struct Post: Decodable {
            let postId: String
        }

        let posts: [Post]
    }
}
