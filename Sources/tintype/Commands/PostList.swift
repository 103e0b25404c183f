import API
import ArgumentParser
import HTTPTypes
import TreeModel

/// How much of a list of posts is printed, and from where.
struct PostListOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The number of posts.", valueName: "n"))
    var limit = 20

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only posts that were published before this position, or post.", valueName: "id"))
    var before: String?

    func validate() throws { try Pages.check(limit: limit) }
}

/// A list of posts that the service sends page by page, and that is printed as a single page.
struct PostList {
    let service: APIClient
    /// The address of the list.
    let path: String
    let isJSON: Bool
    /// A post for people.
    let line: (TreeValue) -> String

    /// Prints posts, the newest first.
    ///
    /// - Parameter limit: The most posts; nil for all.
    /// - Parameter position: Before which they were published; nil for the newest.
    func print(limit: Int?, before position: String?) async throws {
        var document = PostPageDocument()
        var skipped: [PostPageDocument.Skipped] = []
        let count = try await Pages.forEach(
            limit: limit, from: position
        ) { size, next in
            let page: PostPageDocument = try await service.read(
                .get, path, query: ["limit": "\(size)", "before": next])
            document.next = page.next
            skipped += page.skipped ?? []
            return (page.posts, page.next)
        } _: { post in
            if isJSON { document.posts.append(post) } else { Terminal.output(line(post.value)) }
        }
        guard !isJSON else {
            document.hasMore = document.next != nil
            document.skipped = skipped.isEmpty ? nil : skipped
            return Terminal.outputJSON(document)
        }
        for record in skipped { Terminal.error("\(record.path) is no post: \(record.reason)") }
        if count == 0 { Terminal.note("no posts yet") }
        if let next = document.next { Terminal.note("there are more: --before \(next)") }
    }
}
