import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("Posts that are not shown leave no empty pages, however many there are")
struct LeftAuthorTests {
    /// Runs a body with a feed of ann's in which 1,000 posts of bob precede three of eve.
    private func withFeed(_ body: (inout FeedModel) async throws -> Void) async throws {
        try await withFeeds { model in
            for followee in ["bob", "eve"] { try await model.follow("ann", followee) }
            for id in ["e1", "e2", "e3"] { try await model.post(id, by: "eve") }
            for part in 0..<5 { try await model.post((100..<300).map { "b\(part)-\($0)" }, by: "bob") }
            _ = try await model.page(of: "ann")
            try await model.worker.runAll()
            #expect(try await model.walk("ann", limit: 200).ids == model.feed(of: "ann"))
            try await body(&model)
        }
    }

    enum Loss: CaseIterable {
        case unfollow, blockByReader, blockByAuthor, deletion
    }

    @Test(
        "A home feed's page is full before a job has removed the entries of an unfollowed, blocked or empty author",
        arguments: Loss.allCases)
    func home(_ loss: Loss) async throws {
        try await withFeed { model in
            switch loss {
            case .unfollow: try await model.unfollow("ann", "bob")
            case .blockByReader: try await model.block("ann", "bob")
            case .blockByAuthor: try await model.block("bob", "ann")
            case .deletion: try await model.delete(model.posts.filter { $0.author == "bob" }.map(\.id))
            }
            for limit in 1...4 {
                let page = try await model.page(of: "ann", limit: limit, isWritten: false)
                #expect(page.ids == Array(["e3", "e2", "e1"].prefix(limit)))
                #expect(page.posts.hasMore == (limit < 3))
            }
            // Each reading's updates remove the first entries, the job the rest.
            for _ in 0..<2 {
                for limit in [2, 20] {
                    #expect(try await model.walk("ann", limit: limit).ids == ["e3", "e2", "e1"])
                }
                try await model.worker.runAll()
            }
            #expect(try await model.tree.get("feed/ann") == ["e1": true, "e2": true, "e3": true])
        }
    }

    @Test("Posts between skipped ones are all listed once, and so is one that was given to another author")
    func between() async throws {
        try await withFeed { model in
            for number in [150, 151, 299] { try await model.give("b2-\(number)", to: "eve") }
            try await model.post((100..<300).map { "c-\($0)" }, by: "bob")
            try await model.post("e4", by: "eve")
            #expect(try await model.walk("ann", limit: 200).ids == model.feed(of: "ann"))
            try await model.unfollow("ann", "bob")
            try await model.give("b3-200", to: "eve")
            let expected = ["b3-200", "e4", "b2-299", "b2-151", "b2-150", "e3", "e2", "e1"]
            #expect(model.feed(of: "ann") == expected)
            for limit in 1...9 {
                var (ids, cursor): ([String], PostPosition?) = ([], nil)
                repeat {
                    let page = try await model.page(of: "ann", before: cursor, limit: limit, isWritten: false)
                    #expect(page.ids.count == limit || !page.posts.hasMore)
                    ids += page.ids
                    cursor = page.posts.next
                } while cursor != nil
                #expect(ids == expected, "\(limit)")
            }
            // A new follow restores everything.
            try await model.follow("ann", "bob")
            try await model.worker.runAll()
            #expect(try await model.walk("ann", limit: 200).ids == model.feed(of: "ann"))
        }
    }

    @Test("The list of all posts is full for a person who has blocked an author, or is blocked by one")
    func blocked() async throws {
        try await withFeed { model in
            for (blocker, other) in [("ann", "bob"), ("bob", "joe")] { try await model.block(blocker, other) }
            for (uid, isHidden) in [("ann", true), ("joe", true), ("eve", false)] {
                let view = FeedView(viewer: UserID(uid))
                let page = try await FeedReader(model.tree).page(of: .all, before: nil, limit: 3, view)
                #expect(page.ids == (isHidden ? ["e3", "e2", "e1"] : ["b4-299", "b4-298", "b4-297"]), "\(uid)")
                #expect(page.posts.hasMore == !isHidden, "\(uid)")
            }
        }
    }
}
