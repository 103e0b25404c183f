import API
import ArgumentParser
import Foundation
import HTTPTypes
import Pipeline
import TreeModel

/// Lists and deletes posts.
struct PostsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "posts",
        abstract: "List posts, the newest first, delete them, or decide about them.",
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
            abstract: "List posts, the newest first.",
            discussion: """
                EXAMPLES
                  tintype posts
                  tintype posts --user maria --limit 5
                  tintype posts --before 1042 --limit 100
                  tintype posts --all --json
                """)

        @OptionGroup var storage: StorageOptions

        @Option(help: ArgumentHelp("Only this person's posts.", valueName: "user"))
        var user: String?

        @Option(help: ArgumentHelp("The number of posts.", valueName: "n"))
        var limit = 20

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("Only posts that were published before this position, or post.", valueName: "id"))
        var before: String?

        @Flag(help: "List all posts.")
        var all = false

        @Flag(help: "Print one JSON document.")
        var json = false

        func validate() throws {
            guard limit >= 1 else { throw ValidationError("--limit has to be 1 or more") }
        }

        func run() async throws {
            let path = user.map { "/v1/people/\(APIClient.percentEncoded($0))/posts" } ?? "/v1/posts"
            let service = try APIClient(storage)
            var document = PostPageDocument()
            var skipped: [PostPageDocument.Skipped] = []
            var count = 0
            document.next = before
            repeat {
                let limit = all ? PostPageDocument.maxPosts : min(PostPageDocument.maxPosts, self.limit - count)
                let page: PostPageDocument = try await service.read(
                    .get, path, query: ["limit": "\(limit)", "before": document.next])
                document.next = page.next
                count += page.posts.count
                skipped += page.skipped ?? []
                if json {
                    document.posts += page.posts
                } else {
                    page.posts.forEach { Terminal.output(Self.line(of: $0.value)) }
                }
            } while document.next != nil && (all || count < self.limit)
            if json {
                document.hasMore = document.next != nil
                document.skipped = skipped.isEmpty ? nil : skipped
                return Terminal.outputJSON(document)
            }
            for record in skipped { Terminal.error("\(record.path) is no post: \(record.reason)") }
            if count == 0 { Terminal.note("no posts yet") }
            if let next = document.next { Terminal.note("there are more: --before \(next)") }
        }

        /// A post on one line. Fields of the wrong type are left blank: any client may have written the record.
        static func line(of post: TreeValue) -> String {
            let time = post["timestamp"]?.doubleValue.map {
                Date(timeIntervalSince1970: $0 / 1000).formatted(.iso8601)
            }
            let count = post["photos"]?.object?.count ?? 0
            let photos = count == 1 ? "1 photo " : "\(count) photos"
            let author = post["author"]?["uid"]?.stringValue ?? ""
            let words = (post["text"]?.stringValue ?? "").split(whereSeparator: \.isNewline).joined(separator: " ")
            let id = post["post_id"]?.stringValue ?? ""
            return "\(id)  \(time ?? "")  \(photos)  \(author)  \(words.prefix(60))".printable
        }
    }
}
