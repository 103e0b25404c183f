import Logging
import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("Derived data are written with their source")
struct SocialDerivationsTests {
    private func withStore(_ body: (TreeStore) async throws -> Void) async throws {
        let store = try await TreeStore(
            engine: MemoryEngine(), derivations: SocialDerivations.strata, isMaintained: false, clock: { 1000 })
        try await body(store)
        await store.close()
    }

    @Test("Likes are counted, and listed by person")
    func likes() async throws {
        try await withStore { store in
            try await store.set("likes/p/ann", to: 1)
            try await store.set("likes/p/bob", to: 2)
            #expect(try await store.get("stats") == ["posts": ["p": ["likes": 2]]])
            #expect(try await store.get(TreePath(["liked", "ann", "p"], in: .social)) == "1000")
            try await store.set("likes/p/ann", to: nil)
            #expect(try await store.get("stats") == ["posts": ["p": ["likes": 1]]])
            #expect(try await store.get(TreePath(["liked", "ann"], in: .social)) == nil)
        }
    }

    @Test(
        "A write of either side of a follow, or its removal, changes the other",
        arguments: ["people/ann/following/bob", "followers/bob/ann"])
    func follow(path: String) async throws {
        try await withStore { store in
            let path = try TreePath(path)
            try await store.set(path, to: true)
            #expect(try await store.get("people/ann/following/bob") == true)
            #expect(try await store.get("followers/bob/ann") == true)
            #expect(try await store.get("stats/people") == ["ann": ["following": 1], "bob": ["followers": 1]])
            try await store.set(path, to: nil)
            #expect(try await store.get(.root) == nil)
        }
    }

    @Test("People are found by their current name, whatever a client writes as search keys")
    func searchKeys() async throws {
        try await withStore { store in
            try await store.set(
                "people/ann", to: ["full_name": "Ann Lée", "_search_index": ["full_name": "wrong", "other": 1]])
            let index = try await store.get("people/ann/_search_index")
            #expect(index?["full_name"] == "ann lee")
            #expect(index?["reversed_full_name"] == "lee ann")
            try await store.set("people/ann/full_name", to: "Bo")
            #expect(try await store.get("people/ann/_search_index/full_name") == "bo")
            try await store.set("people/ann", to: nil)
            #expect(try await store.get(.root) == nil)
        }
    }

    @Test("A person's list of posts contains their posts, whatever a client writes into it")
    func ownPosts() async throws {
        try await withStore { tree in
            for id in ["p", "q"] as [TreeKey] {
                try await tree.set("posts" / id, to: ["author": ["uid": "ann"], "text": "x", "timestamp": 1])
            }
            try await tree.set("people/ann", to: ["full_name": "Ann", "posts": ["x": true]])
            #expect(try await tree.get("people/ann/posts") == ["p": true, "q": true])
            try await tree.set("people/ann/posts/p", to: nil)
            try await tree.set("people/bob/posts/q", to: true)
            #expect(try await tree.get("people/ann/posts") == ["p": true, "q": true])
            #expect(try await tree.get("people/bob/posts") == nil)
            #expect(try await tree.get("stats/people/ann/posts") == 2)
            #expect(try await tree.get("stats/people/bob") == nil)
            try await tree.set("posts/q/author/uid", to: "bob")
            #expect(try await tree.get("people/bob/posts") == ["q": true])
            try await tree.set("posts/p", to: nil)
            #expect(try await tree.get("people/ann/posts") == nil)
        }
    }
}
