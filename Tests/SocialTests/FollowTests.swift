import API
import Logging
import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("Follows and blocks are the same for all ways of writing them")
struct FollowTests {
    private func withTree(_ body: (TreeStore) async throws -> Void) async throws {
        let tree = try await TreeStore(
            engine: MemoryEngine(), derivations: SocialDerivations.strata, isMaintained: false, clock: { 1000 })
        for uid in ["ann", "bob"] {
            try await tree.set(try TreePath("people/\(uid)/full_name"), to: .string(uid))
        }
        try await body(tree)
        await tree.close()
    }

    private func uid(_ text: String) throws -> UserID { try #require(UserID(text)) }

    /// Returns the paths of all follows and blocks.
    private func links(_ tree: TreeStore) async throws -> [TreePath] {
        var found: [TreePath] = []
        for place in ["people/*/following/*", "followers/*/*", "blocking/*/*", "blocked/*/*", "stats/people/*/*"] {
            let pattern = TreePattern(try TreePath(place))
            found += try await tree.snapshot { try pattern.nodes(in: $0, limit: 100) }
        }
        return found
    }

    @Test("7: A repeated follow keeps the existing mark, and nothing is written")
    func again() async throws {
        try await withTree { tree in
            let follows = Follows(tree)
            let (ann, bob) = (try uid("ann"), try uid("bob"))
            _ = try await follows.follow(ann, bob)
            #expect(try await tree.get("people/ann/following/bob") == true)
            try await tree.set("people/ann/following/bob", to: "p7")
            let token = try await tree.token
            _ = try await follows.follow(ann, bob)
            #expect(try await tree.token == token)
            #expect(try await tree.get("people/ann/following/bob") == "p7")
            #expect(try await tree.get("stats/people/bob/followers") == 1)
        }
    }

    @Test("8, 9: Nobody follows or blocks themselves, or a person who does not exist")
    func refused() async throws {
        try await withTree { tree in
            let (follows, blocks) = (Follows(tree), Blocks(tree))
            let (ann, zoe) = (try uid("ann"), try uid("zoe"))
            let before = try await tree.token
            for (other, code) in [(ann, ErrorCode.oneself), (zoe, .notFound)] {
                for action in [follows.follow, blocks.block] {
                    let failure = await #expect(throws: Failure.self) { _ = try await action(ann, other, nil) }
                    #expect(failure?.code == code)
                }
            }
            #expect(try await tree.token == before)
        }
    }

    @Test(
        "A block ends the follows between the two, both ways and in one change, and prevents new ones",
        arguments: ["blocking/ann/bob", "blocked/bob/ann", ""])
    func block(path: String) async throws {
        try await withTree { tree in
            let (follows, blocks) = (Follows(tree), Blocks(tree))
            let (ann, bob) = (try uid("ann"), try uid("bob"))
            _ = try await follows.follow(ann, bob)
            _ = try await follows.follow(bob, ann)
            let before = try await tree.token
            if path.isEmpty {
                _ = try await blocks.block(ann, bob)
            } else {
                try await tree.set(try TreePath(path), to: true)
            }
            #expect(try await links(tree) == ["blocking/ann/bob", "blocked/bob/ann"])
            #expect(try await tree.changes(since: before, limit: 10).count == 1)
            for (follower, followee) in [(ann, bob), (bob, ann)] {
                let failure = await #expect(throws: Failure.self) { _ = try await follows.follow(follower, followee) }
                #expect(failure?.code == .blocked)
            }
            _ = try await blocks.unblock(ann, bob)
            _ = try await blocks.unblock(ann, bob)
            #expect(try await links(tree) == [])
            _ = try await follows.follow(bob, ann)
        }
    }

    @Test("A follow in the same update as the block leaves no trace")
    func together() async throws {
        try await withTree { tree in
            for follow in ["people/bob/following/ann", "followers/ann/bob", "followers/bob/ann"] {
                var update = MultiPathUpdate()
                update[try TreePath(follow)] = true
                update["blocking/ann/bob"] = true
                try await tree.update(update)
                #expect(try await links(tree) == ["blocking/ann/bob", "blocked/bob/ann"])
                try await tree.set("blocking", to: nil)
            }
        }
    }

    @Test("Lists are in pages, with names and pictures")
    func pages() async throws {
        try await withTree { tree in
            let (follows, ann) = (Follows(tree), try uid("ann"))
            for number in 0..<5 {
                try await tree.set(try TreePath("followers/ann/u\(number)"), to: true)
                try await tree.set(try TreePath("people/u\(number)/full_name"), to: .string("Name \(number)"))
                try await tree.set(try TreePath("people/u\(number)/profile_picture"), to: "/p.jpg")
            }
            let first = try #require(try await follows.followers(of: ann, after: nil, limit: 3))
            #expect(first.people.map(\.fullName) == ["Name 0", "Name 1", "Name 2"] && first.hasMore)
            #expect(first.people.first?.profilePicture == "/p.jpg")
            // An entry that appears before the cursor meanwhile moves nothing.
            try await tree.set("followers/ann/a", to: true)
            let second = try #require(try await follows.followers(of: ann, after: first.next, limit: 3))
            #expect(second.people.map(\.uid.description) == ["u3", "u4"] && !second.hasMore)
            #expect(try await follows.followers(of: ann, after: first.next, limit: 2)?.hasMore == false)
            #expect(try await follows.following(ann, after: nil, limit: 3)?.people == [])
            #expect(try await follows.following(try uid("zoe"), after: nil, limit: 3) == nil)
        }
    }

    @Test("A new name is in all comments of a person on one post, however many there are")
    func manyComments() async throws {
        try await withTree { tree in
            var update = MultiPathUpdate()
            for number in 0..<1100 {
                update[try TreePath("comments/p\(number % 2)/c\(number)")] =
                    ["author": ["uid": "ann", "full_name": "ann"], "text": "x"]
            }
            try await tree.update(update)
            try await tree.set("people/ann/full_name", to: "New")
            try await FollowUpTaskWorker(tree, clock: { 1000 }, logger: Logger(label: "test")).runAll()
            for number in 0..<1100 {
                let path = try TreePath("comments/p\(number % 2)/c\(number)/author/full_name")
                #expect(try await tree.get(path) == "New", "\(path)")
            }
            #expect(try await tree.get(WorkNodes.followUpTask()) == nil)
        }
    }
}
