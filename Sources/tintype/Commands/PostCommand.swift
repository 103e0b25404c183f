import API
import ArgumentParser
import Foundation
import HTTPTypes
import TreeModel

/// Lists, shows, deletes and moderates posts.
struct PostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "post",
        abstract: "List posts; show their history, delete or moderate them.",
        usage: "tintype post [<subcommand>] [<options>]",
        discussion: """
            EXAMPLES
              tintype post --user maria --limit 5
              tintype post show $(tintype post --limit 1 | cut -d' ' -f1)
              tintype post rm --yes $(tintype post --limit 1 | cut -d' ' -f1)
            """,
        subcommands: [List.self, PostShowCommand.self, Remove.self, Moderate.self, Expire.self],
        defaultSubcommand: List.self)
}

extension PostCommand {
    /// Lists the newest posts.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List posts, newest first.",
            usage: "tintype post [ls] [<options>]",
            discussion: """
                Each line has the id, the time, the number of photos, the author's id and name, and the text, which is cut \
                to the width of a terminal.

                EXAMPLES
                  tintype post
                  tintype post --user maria --limit 5
                  tintype post --before 1042 --limit 100
                  tintype post --all --json
                """)

        @OptionGroup var storage: StorageOptions

        @Option(help: ArgumentHelp("Only this user's posts.", valueName: "user"))
        var user: String?

        @OptionGroup var list: PostListOptions

        @Flag(help: "List all posts.")
        var all = false

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() async throws {
            let service = try APIClient(storage)
            var path = "/v1/posts"
            if let user { path = "\(PersonID.path(try await PersonFinder(service: service).uid(of: user)))/posts" }
            let posts = PostList(
                service: service, path: path, isJSON: json,
                columns: [
                    .whole("id"), .whole("time"), .number("photos"), .whole("author"), .text("name"), .text("text"),
                ], row: Self.row)
            try await posts.print(limit: all ? nil : list.limit, before: list.before)
        }

        /// Returns the cells of a post. Fields of the wrong type are left blank: any client may have written the record.
        static func row(of post: TreeValue) -> [String] {
            let time = post["timestamp"]?.doubleValue.map {
                Date(timeIntervalSince1970: $0 / 1000).formatted(.iso8601)
            }
            let count = post["photos"]?.object?.count ?? 0
            let photos = count == 1 ? "1 photo" : "\(count) photos"
            let author = post["author"]
            return [
                post["post_id"]?.stringValue ?? "", time ?? "", photos, author?["uid"]?.stringValue ?? "",
                author?["full_name"]?.stringValue ?? "-", post["text"]?.stringValue ?? "",
            ]
        }
    }
}
