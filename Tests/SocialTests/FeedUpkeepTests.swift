import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("No request waits for the writes after a reading of a home feed")
struct FeedUpkeepTests {
    @Test("All pages have new posts before these are written, and none twice after a job has written some")
    func unwritten() async throws {
        try await withFeeds { model in
            for followee in ["bob", "eve"] { try await model.follow("ann", followee) }
            try await model.post(["b0", "b1"], by: "bob")
            #expect(try await model.page(of: "ann").ids == ["b1", "b0"])
            try await model.post(["e0", "e1", "e2"], by: "eve")
            try await model.post("b2", by: "bob")
            try await model.follow("ann", "joe")
            try await model.post("j0", by: "joe")
            let ann = try #require(UserID("ann"))
            let before = try await model.tree.get(FeedNodes.home(ann))
            var (ids, cursor): ([String], PostPosition?) = ([], nil)
            repeat {
                let page = try await model.page(of: "ann", before: cursor, limit: 2, isWritten: false)
                #expect(page.ids.count <= 2)
                ids += page.ids
                cursor = page.posts.next
            } while cursor != nil
            #expect(ids == ["j0", "b2", "e2", "e1", "e0", "b1", "b0"])
            try await model.worker.runAll()
            #expect(try await model.tree.get(FeedNodes.home(ann)) != before, "the job of the follow has written")
            #expect(try await model.tree.get(FeedNodes.entry(ann) / "e2") == nil)
            for _ in 0..<2 { #expect(try await model.walk("ann", limit: 3).ids == ids) }
            #expect(try await model.tree.get(FeedNodes.entry(ann) / "e2") == true)
        }
    }

    @Test("A reader of later pages finds no gap, although more posts are new than one reading searches for")
    func unwrittenAndMuchNew() async throws {
        try await withFeeds { model in
            var bounds = FeedBounds()
            bounds.maxPosts = 3
            try await model.follow("ann", "bob")
            try await model.post("a0", by: "bob")
            #expect(try await model.page(of: "ann", bounds).ids == ["a0"])
            try await model.post(["b0", "b1", "b2"], by: "bob")
            let first = try await model.page(of: "ann", limit: 1, bounds, isWritten: false)
            #expect(first.ids == ["b2"] && first.isComplete)
            try await model.post((0..<5).map { "c\($0)" }, by: "bob")
            let second = try await model.page(
                of: "ann", before: first.posts.next, limit: 2, bounds, isWritten: false)
            #expect(second.ids == ["b1", "b0"] && second.isComplete)
            // It has not searched for all new posts, and moves no mark.
            let third = try await model.page(of: "ann", before: first.posts.next, limit: 2, bounds)
            #expect(third.ids == ["b1", "b0"])
            #expect(try await model.walk("ann", limit: 3).ids == model.feed(of: "ann"))
        }
    }
}
