import API
import ArgumentParser
import HTTPTypes
import Posts
import TreeModel
import Uploads

/// Comments on a post.
struct CommentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "comment",
        abstract: "Comment on a post for somebody.",
        usage: "tintype comment <post> <text> --as <uid> [<options>]",
        discussion: """
            It prints the comment's id. Comments are listed, changed and deleted by "tintype comments". This command \
            needs the running service.

            EXAMPLES
              tintype comment -OaBcDeFgHiJkLmNoPqR "What a lake!" --as maria
              tintype comment -OaBcDeFgHiJkLmNoPqR "Hi @Anna" --mention anna:3:5 --as maria
            """)

    @OptionGroup var storage: StorageOptions

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            "The id that \"tintype posts\" prints first, and the text.", valueName: "post> <text"))
    var words: [String]

    @OptionGroup var author: CommentAuthor

    func run() async throws {
        guard words.count == 2 else {
            throw ValidationError("it needs a post and a text; put the text in quotes")
        }
        let comment: CommentDocument = try await APIClient(storage).read(
            .post, "/v1/posts/\(try PostID(argument: words[0]))/comments", query: ["as": author.uid],
            json: author.body(words[1]))
        author.json ? Terminal.outputJSON(comment) : Terminal.output(comment.commentID.printable)
    }
}

/// Whoever writes a comment, and whom it mentions.
struct CommentAuthor: ParsableArguments {
    @Option(name: .customLong("as"), help: ArgumentHelp("The user whose comment it is.", valueName: "uid"))
    var uid: String

    @OptionGroup var mentions: Mentions

    @Flag(help: "Print one JSON document.")
    var json = false

    /// The body of a request that writes the text.
    func body(_ text: String) throws -> JSONValue {
        ["text": .string(text), "mentions": .list(try mentions.list())]
    }
}

/// Whom a text mentions.
struct Mentions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Whom a part of the text stands for: a user, and where it starts and how long it is, in UTF-16 units.",
            valueName: "uid:start:length"))
    var mention: [String] = []

    /// The mentions as a request has them.
    func list() throws -> [JSONValue] {
        try mention.map { text in
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 3, let start = Int(parts[1]), let length = Int(parts[2]) else {
                throw ValidationError("--mention needs uid:start:length, such as anna:6:5")
            }
            return ["uid": .string(String(parts[0])), "start": .integer(start), "length": .integer(length)]
        }
    }
}
