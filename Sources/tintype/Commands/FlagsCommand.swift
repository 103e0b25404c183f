import API
import ArgumentParser
import HTTPTypes
import Model
import Uploads

/// Shows and dismisses what people have flagged.
struct FlagsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flags",
        abstract: "Show what people have flagged, or dismiss it.",
        discussion: """
            EXAMPLES
              tintype flags ls
              tintype flags dismiss -OaBcDeFgHiJkLmNoPqR
            """,
        subcommands: [List.self, Dismiss.self])

    /// The path of a post, or of a comment on it.
    fileprivate static func path(_ ids: [String]) throws -> String {
        guard (1...2).contains(ids.count) else { throw ValidationError("it needs a post, or a post and a comment") }
        let post = "/v1/posts/\(try PostID(argument: ids[0]))"
        return ids.count == 1 ? post : post + "/comments/\(APIClient.percentEncoded(ids[1]))"
    }
}

extension FlagsCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the posts and comments that people have flagged.",
            discussion: """
                What most have flagged comes first. Each line has the number of flags, since when, the post, the comment, the \
                author and the text. What was dismissed is not listed.

                EXAMPLES
                  tintype flags ls
                  tintype flags ls --newest --limit 10
                  tintype flags ls --json | jq -r '.post_id'
                """)

        @OptionGroup var storage: StorageOptions

        @Flag(help: "Begin with what was flagged last.")
        var newest = false

        @OptionGroup var list: ListOptions

        func run() async throws {
            let service = try APIClient(storage)
            try await list.print(nothing: "nothing is flagged") { size, next in
                let page: FlaggedPageDocument = try await service.read(
                    .get, "/v1/flags", query: ["order": newest ? "newest" : "most", "limit": "\(size)", "after": next])
                return (page.flagged, page.next)
            } line: {
                $0.line
            }
        }
    }

    struct Dismiss: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "dismiss",
            abstract: "Take a post or a comment from the list, for good.",
            usage: "tintype flags dismiss <post> [<comment>] [<options>]",
            discussion: """
                The flags stay with those who flagged it; you are not told of it again, whoever flags it later.

                EXAMPLE
                  tintype flags dismiss -OaBcDeFgHiJkLmNoPqR
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(
            parsing: .allUnrecognized,
            help: ArgumentHelp("The id of the post, and of the comment.", valueName: "post> <comment"))
        var ids: [String]

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() async throws {
            let dismissal: FlagDismissalDocument = try await APIClient(storage).read(
                .delete, try FlagsCommand.path(ids) + "/flags")
            let line = ["dismissed", dismissal.postID, dismissal.commentID].compactMap(\.self)
            json ? Terminal.outputJSON(dismissal) : Terminal.output(line.joined(separator: "  ").printable)
        }
    }
}

extension FlaggedDocument {
    /// It on one line, a dash for what there is not.
    fileprivate var line: String {
        let words = String((text ?? "-").oneLine.prefix(60))
        return ["\(flags)", since.time, postID, commentID ?? "-", author?.uid ?? "-", words].joined(separator: "  ")
            .printable
    }
}
