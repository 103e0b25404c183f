import Model
import Testing
import Tree

@Suite("Pages of posts are full, stable, and end with the last post")
struct PostPageTests {
    private static func post(by uid: String) -> TreeValue { ["timestamp": 1, "author": ["uid": .string(uid)]] }

    private func withStore(_ body: (TreeStore, PostReader) async throws -> Void) async throws {
        let store = try await TreeStore(engine: MemoryEngine(), derivations: [[PostOrder()]])
        try await body(store, PostReader(store))
        await store.close()
    }

    private func walk(
        _ reader: PostReader, by author: UserID? = nil, limit: Int
    ) async throws -> (ids: [[String]], skipped: Int) {
        var (pages, skipped, cursor): ([[String]], Int, PostPosition?) = ([], 0, nil)
        repeat {
            let page = try await reader.page(
                of: author.map { PostNodes.publishedBy($0) } ?? PostNodes.published(), before: cursor, limit: limit)
            pages.append(page.items.map(\.id.string))
            skipped += page.skipped.count
            cursor = page.next
            #expect(page.hasMore == (cursor != nil))
        } while cursor != nil
        return (pages, skipped)
    }

    @Test("Pages are full even if rows between them are not posts, no page is empty, and each record is listed once")
    func full() async throws {
        try await withStore { store, reader in
            for number in 0..<5 {
                try await store.set(PostNodes.post() / TreeKey(unchecked: "p\(number)"), to: Self.post(by: "maria"))
                var junk = MultiPathUpdate()
                for index in 0..<301 {
                    junk[PostNodes.post() / TreeKey(unchecked: "j\(number)-\(index)") / "author" / "uid"] = "maria"
                }
                try await store.update(junk)
            }
            for author in [nil, UserID("maria")] {
                let (pages, skipped) = try await walk(reader, by: author, limit: 2)
                #expect(pages == [["p4", "p3"], ["p2", "p1"], ["p0"]])
                #expect(skipped == 5 * 301)
            }
            for number in 0..<5 { try await store.set(PostNodes.post() / TreeKey(unchecked: "p\(number)"), to: nil) }
            let page = try await reader.page(of: PostNodes.published(), before: nil, limit: 2)
            #expect(page.items.isEmpty && !page.hasMore && page.skipped.count == 1000)
        }
    }

    /// A filter that hides posts named "row…" by their ids, and posts named "record…" only after reading their records.
    private struct Filter: PostFilter {
        func mayShow(_ post: ListedPost) -> Bool { !post.id.string.hasPrefix("row") }

        func shows(_ post: ListedPost, _ record: TreeValue) -> Bool { !post.id.string.hasPrefix("record") }
    }

    @Test(
        "A page is full however many posts it skips, up to its bounds; if it ends there, the next page continues",
        arguments: [
            (PageBounds(records: 1000, rows: 1000), 1...1), (PageBounds(records: 10, rows: 1000), 2...9),
            (PageBounds(records: 1000, rows: 10), 2...9),
        ])
    func bounds(_ bounds: PageBounds, pageCounts: ClosedRange<Int>) async throws {
        try await withStore { store, reader in
            for (name, count) in [("p0", 1), ("row", 700), ("p1", 1), ("record", 700), ("p2", 1)] {
                var update = MultiPathUpdate()
                for number in 0..<count {
                    let id = TreeKey(unchecked: count == 1 ? name : "\(name)-\(number)")
                    update[PostNodes.post() / id] = Self.post(by: "maria")
                }
                try await store.update(update)
            }
            var (ids, cursor, pages): ([String], PostPosition?, Int) = ([], nil, 0)
            repeat {
                let page = try await reader.page(
                    of: { _ in StoredPostList(PostNodes.published()) }, before: cursor, limit: 5, bounds
                ) { _, _ in
                    Filter()
                } finish: { page, _, _ in
                    page
                }
                ids += page.items.map(\.id.string)
                #expect(page.hasMore == (page.next != nil))
                cursor = page.next
                pages += 1
            } while cursor != nil && pages < 20
            #expect(ids == ["p2", "p1", "p0"])
            #expect(pageCounts.contains(pages))
        }
    }

    @Test("C7: A cursor remains valid while posts are added and deleted, even its own post")
    func stable() async throws {
        try await withStore { store, reader in
            for number in 0..<9 {
                try await store.set(PostNodes.post() / TreeKey("\(9 - number)"), to: Self.post(by: "maria"))
            }
            let first = try await reader.page(of: PostNodes.published(), before: nil, limit: 3)
            #expect(first.items.map(\.id.string) == ["1", "2", "3"])
            let cursor = try #require(first.next)
            #expect(PostPosition(cursor: cursor.description) == cursor)
            try await store.set("posts/3", to: nil)
            try await store.set("posts/4", to: nil)
            try await store.set("posts/0", to: Self.post(by: "maria"))
            let second = try await reader.page(of: PostNodes.published(), before: cursor, limit: 3)
            #expect(second.items.map(\.id.string) == ["5", "6", "7"])
        }
    }

    @Test("Posts of an import in one commit have separate cursors")
    func oneCommit() async throws {
        try await withStore { store, reader in
            var posts: [TreeKey: TreeValue] = [:]
            for number in 10..<30 { posts[TreeKey(unchecked: "p\(number)")] = Self.post(by: "maria") }
            try await store.set(.root, to: ["posts": .object(posts)])
            let (pages, _) = try await walk(reader, limit: 7)
            #expect(pages.flatMap { $0 } == (10..<30).reversed().map { "p\($0)" })
            #expect(pages.map(\.count) == [7, 7, 6])
        }
    }

    @Test("A cursor is one number or two; a key has a fixed width, and sorts like the numbers")
    func positions() throws {
        for text in ["", "-", "-1", "1-", "a", "1-2-3", "+1", " 1", "1.0", "99999999999999999999", "1-4294967296"] {
            #expect(PostPosition(cursor: text) == nil, "\(text)")
        }
        let positions = [(0, 0), (0, 1), (1, 0), (9, 10), (10, 9), (1 << 31, 0), (1 << 40, 0), (UInt64.max, 0)].map {
            PostPosition(sequence: $0.0, number: $0.1)
        }
        #expect(positions.map(\.key) == positions.map(\.key).sorted())
        for position in positions {
            #expect(PostPosition(key: position.key) == position)
            #expect(PostPosition(cursor: position.description) == position)
        }
    }
}
