import Testing

@testable import Tree

@Suite("Key prefixes")
struct KeyBeginningsTests {
    @Test(
        "A key is relevant if it is at, above or below a possible node of a pattern",
        arguments: [
            ("", true), ("posts", true), ("posts/a", true), ("posts/a/text", true), ("post", false),
            ("postscript", false),
            ("likes", true), ("likes/a/maria", true), ("people", true), ("people/maria", true),
            ("people/maria/posts/a", true), ("notes/1", false),
            ("zebra", false), ("7", true), ("7/a", true), ("07", false), ("70", false),
        ] as [(TreePath, Bool)])
    func mayConcern(path: TreePath, isOfInterest: Bool) {
        let prefix = StoreFormat.prefix(of: TreePath.root.namespace)
        let patterns = ["posts/*", "posts/*/text", "likes/*/*", "people/*/posts", "7/*"] as [TreePath]
        let beginnings = KeyBeginnings(Set(patterns.map { TreePattern($0).elements.beginning(behind: prefix) }))
        let key = StoreFormat.dataKey(path)
        let found = [key, key + [PathEncoding.priorityTag]].map { beginnings.mayConcern($0.span) }
        #expect(found == [isOfInterest, isOfInterest])
    }

    @Test("Without a pattern, no key is relevant", arguments: ["", "posts"] as [TreePath])
    func none(path: TreePath) {
        let found = KeyBeginnings([]).mayConcern(StoreFormat.dataKey(path).span)
        #expect(!found)
    }
}
