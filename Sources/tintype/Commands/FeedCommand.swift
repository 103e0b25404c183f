import API
import ArgumentParser
import HTTPTypes
import Pipeline
import TreeModel

/// Lists what a person sees on the home screen, the posts with a hashtag, or those for an audience.
struct FeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed",
        abstract: "List a person's home feed, the posts with a hashtag, or those for an audience, the newest first.",
        usage:
            "tintype feed <user> [<options>]\ntintype feed --hashtag <tag> [<options>]\ntintype feed --audience <id> [<options>]",
        discussion: """
            A home feed has the posts of the person, and of everybody whom the person follows. After each post stand the \
            numbers of its likes and comments. With --follow the oldest of the listed posts comes first, and then what \
            happens in the feed, until you press Ctrl-C.

            EXAMPLES
              tintype feed maria
              tintype feed maria --limit 5 --json | jq -r '.posts[].text'
              tintype feed --hashtag summer
              tintype feed --audience class-7b
            """)

    @OptionGroup var storage: StorageOptions

    @Argument(help: ArgumentHelp("Whose feed to list.", valueName: "user"))
    var user: String?

    @Option(help: ArgumentHelp("List the posts with this hashtag.", valueName: "tag"))
    var hashtag: String?

    @Option(help: ArgumentHelp("List the posts for this audience.", valueName: "id"))
    var audience: String?

    @Option(help: ArgumentHelp("The number of posts.", valueName: "n"))
    var limit = 20

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only posts that were published before this position, or post.", valueName: "id"))
    var before: String?

    @Flag(help: "Then print what happens in the feed: new posts, and deleted ones.")
    var follow = false

    @Flag(help: "Print one JSON document; with --follow, one more for each thing that happens.")
    var json = false

    func validate() throws {
        if follow, hashtag != nil || before != nil || limit > PostPageDocument.maxPosts {
            throw ValidationError(
                "--follow is for the newest posts of a home feed: at most \(PostPageDocument.maxPosts), without --before"
            )
        }
        guard limit >= 1 else { throw ValidationError("--limit has to be 1 or more") }
        guard [user, hashtag, audience].count(where: { $0 != nil }) == 1 else {
            throw ValidationError("name either a person or, with --hashtag, a hashtag, or with --audience an audience")
        }
    }

    func run() async throws {
        let service = try APIClient(storage)
        guard !follow else { return try await follow(FeedFollower(service: service, path: path, isJSON: json)) }
        var document = PostPageDocument()
        var skipped: [PostPageDocument.Skipped] = []
        document.next = before
        repeat {
            let limit = min(PostPageDocument.maxPosts, self.limit - document.posts.count)
            let page: PostPageDocument = try await service.read(
                .get, path, query: ["limit": "\(limit)", "before": document.next])
            document.next = page.next
            document.posts += page.posts
            // A feed that is complete later lacked what the pages before did not have.
            document.complete = page.complete.map { $0 && document.complete != false }
            skipped += page.skipped ?? []
            if !json { page.posts.forEach { Terminal.output(Self.line(of: $0.value)) } }
        } while document.next != nil && document.posts.count < self.limit
        guard !json else {
            document.hasMore = document.next != nil
            document.skipped = skipped.isEmpty ? nil : skipped
            return Terminal.outputJSON(document)
        }
        for record in skipped { Terminal.error("\(record.path) is no post: \(record.reason)") }
        if document.posts.isEmpty { Terminal.note("no posts yet") }
        if document.complete == false { Terminal.note("older posts are being brought into the feed") }
        if let next = document.next { Terminal.note("there are more: --before \(next)") }
    }

    private func follow(_ feed: FeedFollower) async throws {
        let (page, token) = try await feed.page(limit: limit)
        if json {
            Terminal.outputJSON(page)
        } else {
            page.posts.reversed().forEach { Terminal.output(Self.line(of: $0.value)) }
        }
        try await feed.run(since: token)
    }

    private var path: String {
        if let audience { return "/v1/audiences/\(APIClient.percentEncoded(audience))/posts" }
        if let hashtag {
            let tag = hashtag.hasPrefix("#") ? String(hashtag.dropFirst()) : hashtag
            return "/v1/hashtags/\(APIClient.percentEncoded(tag))/posts"
        }
        return "/v1/people/\(APIClient.percentEncoded(user ?? ""))/feed"
    }

    /// A post on one line, with its likes and comments.
    static func line(of post: TreeValue) -> String {
        func count(_ key: TreeKey, _ name: String) -> String {
            let count = post["counts"]?[key]?.integerValue ?? 0
            return "\(count) \(name)\(count == 1 ? "" : "s")"
        }
        guard post["counts"] != nil else { return PostsCommand.List.line(of: post) }
        return PostsCommand.List.line(of: post) + "  " + count("likes", "like") + ", " + count("comments", "comment")
    }
}
