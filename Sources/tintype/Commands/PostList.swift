import API
import ArgumentParser
import HTTPTypes
import TreeModel

/// The range of a list of posts that is printed.
struct PostListOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The largest number of posts.", valueName: "n"))
    var limit = 20

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only posts that were published before this post, or this position.", valueName: "id"))
    var before: String?

    func validate() throws { try Pages.check(limit: limit) }
}

/// A list of posts that the service sends page by page, and that is printed as a single page.
struct PostList {
    let service: APIClient
    /// The path of the list in the service.
    let path: String
    let isJSON: Bool
    let columns: [TextTable.Column]
    /// Returns the cells of a post for people.
    let row: (TreeValue) -> [String]

    /// Prints posts, newest first.
    ///
    /// - Parameter limit: The largest number of posts; nil for all.
    /// - Parameter position: The position before which the posts were published; nil for the newest.
    func print(limit: Int?, before position: String?) async throws {
        var document = PostPageDocument()
        var skipped: [PostPageDocument.Skipped] = []
        var table = TextTable(columns)
        let count = try await Pages.forEachPage(
            limit: limit, from: position
        ) { size, next in
            let page: PostPageDocument = try await service.read(
                .get, path, query: ["limit": "\(size)", "before": next])
            document.next = page.next
            skipped += page.skipped ?? []
            return (page.posts, page.next)
        } _: { posts in
            guard !isJSON else { return document.posts += posts }
            table.print(posts.map { row($0.value) })
        }
        guard !isJSON else {
            document.hasMore = document.next != nil
            document.skipped = skipped.isEmpty ? nil : skipped
            return Terminal.outputJSON(document)
        }
        for record in skipped { Terminal.error("\(record.path) is not a valid post: \(record.reason)") }
        if count == 0 { Terminal.note("no posts yet") }
        if let next = document.next { Terminal.note("there are more: --before \(next)") }
    }
}
