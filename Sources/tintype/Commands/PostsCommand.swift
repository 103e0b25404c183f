import API
import ArgumentParser
import Foundation
import HTTPTypes
import TreeModel

/// Lists, deletes and moderates posts.
struct PostsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "posts",
        abstract: "List, delete or moderate posts.",
        usage:
            "tintype posts [<options>]\ntintype posts rm <id> ...\ntintype posts moderate <id> --pass|--blur|--refuse\ntintype posts expire --older-than <time>",
        discussion: """
            EXAMPLES
              tintype posts --user maria --limit 5
              tintype posts rm --yes $(tintype posts --limit 1 | cut -d' ' -f1)
            """,
        subcommands: [List.self, Remove.self, Moderate.self, Expire.self], defaultSubcommand: List.self)
}

extension PostsCommand {
    /// Lists the newest posts.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List posts, newest first.",
            discussion: """
                Each line has the id, the time, the number of photos, the author's id and name, and the text, which is cut \
                to the width of a terminal.

                EXAMPLES
                  tintype posts
                  tintype posts --user maria --limit 5
                  tintype posts --before 1042 --limit 100
                  tintype posts --all --json
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
            let path = user.map { "\(PersonID.path($0))/posts" } ?? "/v1/posts"
            let posts = PostList(
                service: try APIClient(storage), path: path, isJSON: json,
                columns: [.whole, .whole, .number, .whole, .text, .text], row: Self.row)
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
