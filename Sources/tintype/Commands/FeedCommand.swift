import API
import ArgumentParser
import HTTPTypes
import TreeModel
import Uploads

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

    @OptionGroup var list: PostListOptions

    @Flag(help: "Then print what happens in the feed: new posts, and deleted ones.")
    var follow = false

    @Flag(help: "Print one JSON document; with --follow, one more for each thing that happens.")
    var json = false

    func validate() throws {
        if follow, hashtag != nil || list.before != nil || list.limit > PageSize.max {
            throw ValidationError(
                "--follow is for the newest posts of a home feed: at most \(PageSize.max), without --before"
            )
        }
        guard [user, hashtag, audience].count(where: { $0 != nil }) == 1 else {
            throw ValidationError("name either a person or, with --hashtag, a hashtag, or with --audience an audience")
        }
    }

    func run() async throws {
        let service = try APIClient(storage)
        guard !follow else { return try await follow(FeedFollower(service: service, path: path, isJSON: json)) }
        let posts = PostList(service: service, path: path, isJSON: json, line: Self.line)
        try await posts.print(limit: list.limit, before: list.before)
    }

    private func follow(_ feed: FeedFollower) async throws {
        let (page, token) = try await feed.page(limit: list.limit)
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
        return "\(PersonID.path(user ?? ""))/feed"
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
