import API
import ArgumentParser
import HTTPTypes
import Model
import Uploads

/// Shows flagged posts and comments, and dismisses their flags.
struct FlagCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flag",
        abstract: "List flagged posts and comments, or dismiss them.",
        discussion: """
            These commands need the running service.

            EXAMPLES
              tintype flag ls
              tintype flag dismiss -OaBcDeFgHiJkLmNoPqR
            """,
        subcommands: [List.self, Dismiss.self])

    /// Returns the path of a post, or of a comment on it.
    fileprivate static func path(_ ids: [String]) throws -> String {
        guard (1...2).contains(ids.count) else { throw ValidationError("give a post, or a post and a comment") }
        let post = "/v1/posts/\(try PostID(argument: ids[0]))"
        return ids.count == 1 ? post : post + "/comments/\(ids[1].percentEncoded)"
    }
}

extension FlagCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the posts and comments that people have flagged.",
            usage: "tintype flag ls [<options>]",
            discussion: """
                Entries with the most flags are first. Each line has the number of flags, the time of the first flag, \
                the post, the comment, the author's id and name, and the text. Dismissed entries are not listed.

                EXAMPLES
                  tintype flag ls
                  tintype flag ls --newest --limit 10
                  tintype flag ls --json | jq -r '.post_id'
                """)

        @OptionGroup var storage: StorageOptions

        @Flag(help: "List the most recently flagged entries first.")
        var newest = false

        @OptionGroup var list: ListOptions

        func run() async throws {
            let service = try APIClient(storage)
            try await list.print(
                nothing: "there are no flagged posts or comments",
                columns: [
                    .number("flags"), .whole("since"), .whole("post"), .whole("comment"), .whole("author"),
                    .text("name"),
                    .text("text"),
                ]
            ) { size, next in
                let page: FlaggedPageDocument = try await service.read(
                    .get, "/v1/flags", query: ["order": newest ? "newest" : "most", "limit": "\(size)", "after": next])
                return (page.flagged, page.next)
            } row: {
                $0.cells
            }
        }
    }

    struct Dismiss: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "dismiss",
            abstract: "Remove a post or a comment from the list, permanently.",
            usage: "tintype flag dismiss <post> [<comment>] [<options>]",
            discussion: """
                The flags themselves stay; later flags do not put the entry back on the list.

                EXAMPLE
                  tintype flag dismiss -OaBcDeFgHiJkLmNoPqR
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(
            parsing: .allUnrecognized,
            help: ArgumentHelp(
                "The id of the post; for a comment, followed by the id of the comment.", valueName: "post> <comment"))
        var ids: [String]

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() async throws {
            let dismissal: FlagDismissalDocument = try await APIClient(storage).read(
                .delete, try FlagCommand.path(ids) + "/flags")
            let line = ["dismissed", dismissal.postID, dismissal.commentID].compactMap(\.self)
            json ? Terminal.outputJSON(dismissal) : Terminal.output(line.joined(separator: "  ").printable)
        }
    }
}

extension FlaggedDocument {
    /// The cells of the entry, with a dash for missing fields.
    fileprivate var cells: [String] {
        ["\(flags)", since.time, postID, commentID ?? "-", author?.uid ?? "-", author?.fullName ?? "-", text ?? "-"]
    }
}
