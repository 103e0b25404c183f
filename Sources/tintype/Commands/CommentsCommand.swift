import API
import ArgumentParser
import HTTPTypes
import Posts
import TreeModel
import Uploads

/// Lists, changes and deletes comments.
struct CommentsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "comments",
        abstract: "List, change or delete the comments on a post.",
        discussion: """
            These commands need the running service.

            EXAMPLES
              tintype comments ls -OaBcDeFgHiJkLmNoPqR
              tintype comments rm -OaBcDeFgHiJkLmNoPqR -OaBcDxxxxxxxxxxxxxx
            """,
        subcommands: [List.self, Edit.self, Remove.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the comments on a post, the oldest first.",
            discussion: """
                Each line has the comment's id, the time, the author, and the text; an edited one has an asterisk behind \
                the time.

                EXAMPLES
                  tintype comments ls -OaBcDeFgHiJkLmNoPqR
                  tintype comments ls -OaBcDeFgHiJkLmNoPqR --newest-first --limit 3
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(
            parsing: .allUnrecognized,
            help: ArgumentHelp("The id that \"tintype posts\" prints first.", valueName: "post"))
        var post: [String]

        @Flag(help: "List the newest first.")
        var newestFirst = false

        @OptionGroup var list: ListOptions

        func run() async throws {
            let id = try PostID(onlyArgument: post)
            let service = try APIClient(storage)
            try await list.print(nothing: "no comments yet") { size, next in
                let page: CommentPageDocument = try await service.read(
                    .get, "/v1/posts/\(id)/comments",
                    query: [
                        "limit": "\(size)", "order": newestFirst ? "newest" : "oldest",
                        newestFirst ? "before" : "after": next,
                    ])
                for record in page.skipped ?? [] {
                    Terminal.error("\(record.path) is no comment: \(record.reason)".printable)
                }
                return (page.comments, page.next)
            } line: {
                $0.line
            }
        }
    }

    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "edit",
            abstract: "Change the text of a comment, for its author.",
            usage: "tintype comments edit <post> <comment> <text> --as <uid> [<options>]",
            discussion: """
                Whom the comment mentions has to be said anew.

                EXAMPLE
                  tintype comments edit -OaBcDeFgHiJkLmNoPqR -OaBcDxxxxxxxxxxxxxx "Oh!" --as ann
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(
            parsing: .allUnrecognized,
            help: ArgumentHelp(
                "The post, the id that \"tintype comments ls\" prints first, and the text.",
                valueName: "post> <comment> <text"))
        var words: [String]

        @OptionGroup var author: CommentAuthor

        func run() async throws {
            guard words.count == 3 else {
                throw ValidationError("it needs a post, a comment and a text; put the text in quotes")
            }
            let comment: CommentDocument = try await APIClient(storage).read(
                .patch,
                "/v1/posts/\(try PostID(argument: words[0]))/comments/\(APIClient.percentEncoded(words[1]))",
                query: ["as": author.uid], json: author.body(words[2]))
            author.json ? Terminal.outputJSON(comment) : Terminal.output("edited  \(comment.commentID)".printable)
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm",
            abstract: "Delete comments on a post.",
            usage: "tintype comments rm <post> <comment> ... [<options>]",
            discussion: """
                EXAMPLE
                  tintype comments rm -OaBcDeFgHiJkLmNoPqR -OaBcDxxxxxxxxxxxxxx
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(
            parsing: .allUnrecognized,
            help: ArgumentHelp(
                "The post, and the ids that \"tintype comments ls\" prints first.", valueName: "post> <comment"))
        var ids: [String]

        @Flag(help: "Print one JSON document for each comment.")
        var json = false

        func run() async throws {
            guard ids.count >= 2 else { throw ValidationError("it needs a post, and its comments") }
            let post = try PostID(argument: ids[0])
            let service = try APIClient(storage)
            let batch = Batch(ids.dropFirst(), isJSON: json) {
                OutcomeDocument(.failed, postID: post.description, commentID: $0, failure: $1)
            }
            try await batch.forEach { id in
                let deleted: CommentDeletionDocument = try await service.read(
                    .delete, "/v1/posts/\(post)/comments/\(APIClient.percentEncoded(id))")
                json ? Terminal.outputJSON(deleted) : Terminal.output("deleted  \(id)".printable)
            }
        }
    }
}

extension CommentDocument {
    /// The comment on one line; anybody may have written anything into it.
    fileprivate var line: String {
        "\(commentID)  \(timestamp.time)\(edited == nil ? "" : "*")  \(author.uid)  \(text.oneLine)".printable
    }
}
