import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

/// Steps that FriendlyPix's own clients omit: the service performs them in the same change.
@Suite("A post that a client writes half is complete")
struct ClientFaultTests {
    private func withTree(_ body: (TreeStore) async throws -> Void) async throws {
        let tree = try await TreeStore(
            engine: MemoryEngine(), derivations: SocialDerivations.strata, isMaintained: false, clock: { 1000 })
        try await body(tree)
        await tree.close()
    }

    private static let post: TreeValue = [
        "timestamp": 1, "text": "#sun", "author": ["uid": "ann", "full_name": "Ann"],
    ]

    @Test(
        "FriendlyPix 3: A client that ends after its first call still has the post in profile, feed and hashtags"
    )
    func firstCallAlone() async throws {
        try await withTree { tree in
            let token = try await tree.token
            try await tree.set("posts/p", to: Self.post)
            let change = try #require(try await tree.changes(since: token, limit: 9).first)
            #expect(try await tree.changes(since: token, limit: 9).count == 1)
            let paths = Set(change.writes.map(\.path))
            #expect(paths.isSuperset(of: ["posts/p", "people/ann/posts/p", "feed/ann/p", "hashtags/sun/p"]))
            #expect(try await tree.get("stats/people/ann/posts") == 1)
            // The second call, if it is sent, changes nothing.
            let after = try await tree.token
            var second = MultiPathUpdate()
            second["people/ann/posts/p"] = true
            second["feed/ann/p"] = true
            #expect(try await tree.update(second) == after)
        }
    }

    @Test(
        "FriendlyPix 4: A client that omits its author's feed has the post there; one that omits the profile, too"
    )
    func forgottenLists() async throws {
        for list in ["people/ann/posts/p", "feed/ann/p"] {
            try await withTree { tree in
                var update = MultiPathUpdate()
                update["posts/p"] = Self.post
                update[try TreePath(list)] = true
                try await tree.update(update)
                #expect(try await tree.get("people/ann/posts") == ["p": true])
                #expect(try await tree.get("feed/ann") == ["p": true])
                #expect(try await tree.get("stats/people/ann/posts") == 1)
            }
        }
    }
}
