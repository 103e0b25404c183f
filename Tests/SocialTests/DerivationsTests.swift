import Logging
import Testing

@testable import Posts
@testable import Social
@testable import Tree

@Suite("What follows from what people write is there with it")
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
            #expect(try await store.get(TreePath(["liked", "ann", "p"], in: .social)) == true)
            try await store.set("likes/p/ann", to: nil)
            #expect(try await store.get("stats") == ["posts": ["p": ["likes": 1]]])
            #expect(try await store.get(TreePath(["liked", "ann"], in: .social)) == nil)
        }
    }

    @Test(
        "Either side of a follow brings the other, and takes it along",
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

    @Test("People are found by the name that they have, whatever a client says")
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
}
