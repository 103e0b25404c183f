import API
import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("A block between two people hides each from the other")
struct BlockTests {
    private let post: PostID
    private let (ann, bob, eve): (UserID, UserID, UserID)

    init() throws {
        post = try #require(PostID("-OaBcDeFgHiJkLmNoPqR"))
        (ann, bob, eve) = (
            try #require(UserID("ann")), try #require(UserID("bob")), try #require(UserID("eve"))
        )
    }

    /// Runs a body with a store with a post of Bob's.
    private func withPost(_ body: (TreeStore) async throws -> Void) async throws {
        let tree = try await TreeStore(
            engine: MemoryEngine(), derivations: SocialDerivations.strata, isMaintained: false, clock: { 1000 })
        try await tree.set(PostNodes.post(post), to: ["timestamp": 1, "text": "x", "author": ["uid": "bob"]])
        try await body(tree)
        await tree.close()
    }

    @Test(
        "Comments are hidden, in full pages of either order and each by its id; all others see them",
        arguments: ["blocking/ann/eve", "blocking/eve/ann"], [true, false])
    func comments(path: String, isNewestFirst: Bool) async throws {
        try await withPost { tree in
            let comments = Comments(tree, ids: PushIDGenerator())
            var ids: [UserID: TreeKey] = [:]
            let authors = [ann, eve, eve, eve, bob, ann, eve]
            for uid in authors { ids[uid] = try await comments.add(CommentText("x"), by: uid, to: post).comment.id }
            try await tree.set(try TreePath(path), to: true)
            for (viewer, hidden) in [(ann, eve), (eve, ann), (bob, nil), (nil, nil)] as [(UserID?, UserID?)] {
                let expected = authors.filter { $0 != hidden }.map(\.description)
                for limit in [1, 2, 3, 7] {
                    var (seen, next): ([String], TreeKey?) = ([], nil)
                    repeat {
                        let page = try await comments.page(
                            of: post,
                            CommentPage.Selection(
                                for: viewer, after: isNewestFirst ? nil : next, before: isNewestFirst ? next : nil,
                                isNewestFirst: isNewestFirst, limit: limit))
                        #expect(page.comments.count == limit || page.next == nil)
                        #expect(!page.comments.isEmpty && page.skipped.isEmpty)
                        seen += page.comments.map(\.author)
                        next = page.next
                    } while next != nil
                    #expect(seen == (isNewestFirst ? expected.reversed() : expected))
                }
                for (author, id) in ids {
                    let comment = try? await comments.comment(id, on: post, for: viewer)
                    #expect((comment == nil) == (author == hidden))
                }
            }
        }
    }

    @Test(
        "Likers of a post are hidden, though pages are shorter", arguments: ["blocking/ann/eve", "blocking/eve/ann"])
    func likes(path: String) async throws {
        try await withPost { tree in
            let likes = Likes(tree)
            for uid in [ann, bob, eve] { try await tree.set(ReactionNodes.like(post) / uid.key, to: 1) }
            try await tree.set(try TreePath(path), to: true)
            for (viewer, hidden) in [(ann, eve), (eve, ann), (bob, nil), (nil, nil)] as [(UserID?, UserID?)] {
                let expected = [ann, bob, eve].filter { $0 != hidden }.map(\.key)
                for limit in 1...3 {
                    var (seen, next): ([TreeKey], TreeKey?) = ([], nil)
                    repeat {
                        let page = try await likes.page(
                            of: post, for: viewer, after: next, limit: limit, isNaming: true)
                        seen += page.people.map(\.key)
                        next = page.next
                    } while next != nil
                    #expect(seen == expected)
                }
            }
        }
    }
}
