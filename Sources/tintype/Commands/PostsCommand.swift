import ArgumentParser
import Foundation
import HTTPTypes
import Pipeline

/// Lists and deletes posts.
struct PostsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "posts",
        abstract: "List posts, the newest first, or delete them.",
        usage: "tintype posts [<options>]\ntintype posts rm <id> ...",
        discussion: """
            EXAMPLES
              tintype posts --user maria --limit 5
              tintype posts rm --yes $(tintype posts --limit 1 | cut -d' ' -f1)
            """,
        subcommands: [List.self, Remove.self], defaultSubcommand: List.self)
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
                  tintype posts --before -P6xJbulrHe4fQeGEtZm --limit 100
                  tintype posts --all --json
                """)

        @OptionGroup var storage: StorageOptions

        @Option(help: ArgumentHelp("Only this person's posts.", valueName: "user"))
        var user: String?

        @Option(help: ArgumentHelp("The number of posts.", valueName: "n"))
        var limit = 20

        @Option(
            parsing: .unconditional, help: ArgumentHelp("Only posts that are older than this one.", valueName: "id"))
        var before: String?

        @Flag(help: "List all posts.")
        var all = false

        @Flag(help: "Print one JSON document.")
        var json = false

        /// The largest page that the service returns.
        private static let pageLimit = 200

        func validate() throws {
            guard limit >= 1 else { throw ValidationError("--limit has to be 1 or more") }
        }

        func run() async throws {
            let path = user.map { "/v1/people/\(APIClient.percentEncoded($0))/posts" } ?? "/v1/posts"
            let service = try APIClient(storage)
            var (listed, skipped): ([Any], [Any]) = ([], [])
            var (count, next) = (0, before)
            repeat {
                let limit = all ? Self.pageLimit : min(Self.pageLimit, self.limit - count)
                let document = try await service.send(.get, path, query: ["limit": "\(limit)", "before": next])
                let page = try JSONSerialization.jsonObject(with: document) as? [String: Any] ?? [:]
                let posts = page["posts"] as? [Any] ?? []
                next = page["next"] as? String
                count += posts.count
                skipped += page["skipped"] as? [Any] ?? []
                if json { listed += posts } else { posts.forEach(Self.show) }
            } while next != nil && (all || count < self.limit)
            if json { return try emit(listed, skipped, next: next) }
            for case let record as [String: Any] in skipped {
                Terminal.error("\(record["path"] ?? "?") is no post: \(record["reason"] ?? "?")")
            }
            if count == 0 { Terminal.note("no posts yet") }
            if let next { Terminal.note("there are more: --before \(next)") }
        }

        private func emit(_ posts: [Any], _ skipped: [Any], next: String?) throws {
            var document: [String: Any] = ["posts": posts, "has_more": next != nil]
            document["next"] = next
            if !skipped.isEmpty { document["skipped"] = skipped }
            let bytes = try JSONSerialization.data(
                withJSONObject: document, options: [.sortedKeys, .withoutEscapingSlashes])
            Terminal.output(String(decoding: bytes, as: UTF8.self))
        }

        /// Prints a post on one line. Fields of the wrong type are left blank: any client may have written the record.
        private static func show(_ record: Any) {
            let post = record as? [String: Any] ?? [:]
            let time = (post["timestamp"] as? NSNumber).map {
                Date(timeIntervalSince1970: $0.doubleValue / 1000).formatted(.iso8601)
            }
            let count = (post["photos"] as? [Any])?.count ?? 0
            let photos = count == 1 ? "1 photo " : "\(count) photos"
            let author = (post["author"] as? [String: Any])?["uid"] as? String ?? ""
            let text = (post["text"] as? String ?? "").split(whereSeparator: \.isNewline).joined(separator: " ").prefix(
                60)
            let id = post["post_id"] as? String ?? ""
            Terminal.output("\(id)  \(time ?? "")  \(photos)  \(author)  \(text)".printable)
        }
    }
}
