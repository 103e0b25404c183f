import API
import ArgumentParser
import HTTPTypes
import Posts
import TreeModel
import Uploads

/// Has somebody like posts.
struct LikeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "like",
        abstract: "Like posts for somebody.",
        usage: "tintype like <post> ... --as <uid> [<options>]",
        discussion: """
            Whoever likes a post already goes on to, from the same time. This command needs the running service.

            EXAMPLES
              tintype like -OaBcDeFgHiJkLmNoPqR --as maria
              tintype like --as maria $(tintype posts --limit 1 | cut -d' ' -f1)
            """)

    @OptionGroup var change: LikeChange

    func run() async throws { try await change.run(.put, said: "liked") }
}

/// Has somebody like posts no more.
struct UnlikeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlike",
        abstract: "Take somebody's likes of posts back.",
        usage: "tintype unlike <post> ... --as <uid> [<options>]",
        discussion: """
            Nothing changes for who does not like a post. This command needs the running service.

            EXAMPLE
              tintype unlike -OaBcDeFgHiJkLmNoPqR --as maria
            """)

    @OptionGroup var change: LikeChange

    func run() async throws { try await change.run(.delete, said: "unliked") }
}

/// The posts that somebody likes, or likes no more.
struct LikeChange: ParsableArguments {
    @OptionGroup var storage: StorageOptions

    // Ids begin with a dash, so the parser takes them for options that it does not know.
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("The ids that \"tintype posts\" prints first.", valueName: "post"))
    var ids: [String]

    @Option(name: .customLong("as"), help: ArgumentHelp("The user whose likes they are.", valueName: "uid"))
    var uid: String

    @Flag(help: "Print one JSON document for each post.")
    var json = false

    func run(_ method: HTTPRequest.Method, said outcome: String) async throws {
        let ids = try ids.map { try PostID(argument: $0) }
        guard let uid = UserID(uid) else {
            throw ValidationError("--as needs a user's id: 1 to 128 letters, digits, _ and -")
        }
        let service = try APIClient(storage)
        try await Batch(ids, isJSON: json).forEach { id in
            let like: LikeDocument = try await service.read(method, "/v1/posts/\(id)/likes/\(uid)")
            json ? Terminal.outputJSON(like) : Terminal.output("\(outcome)  \(id)  \(like.likes)")
        }
    }
}

/// Lists who likes a post.
struct LikesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "likes",
        abstract: "List who likes a post.",
        usage: "tintype likes <post> [--limit <n>] [<options>]",
        discussion: """
            Each line has the id, the time, and the name. This command needs the running service.

            EXAMPLES
              tintype likes -OaBcDeFgHiJkLmNoPqR
              tintype likes -OaBcDeFgHiJkLmNoPqR --json | jq -r .uid
            """)

    @OptionGroup var storage: StorageOptions

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("The id that \"tintype posts\" prints first.", valueName: "post"))
    var post: [String]

    @OptionGroup var list: ListOptions

    func run() async throws {
        let id = try PostID(onlyArgument: post)
        let service = try APIClient(storage)
        try await list.print(nothing: "nobody likes it yet") { size, next in
            let page: LikePageDocument = try await service.read(
                .get, "/v1/posts/\(id)/likes", query: ["limit": "\(size)", "after": next])
            return (page.people, page.next)
        } line: {
            $0.line
        }
    }
}

extension PostID {
    /// Reads the id of a post in the arguments of a command.
    ///
    /// - Throws: `ValidationError`.
    init(argument text: String) throws {
        guard let id = PostID(text) else { throw ValidationError("\"\(text.prefix(80))\" is no post's id") }
        self = id
    }

    /// Reads the id of the one post that a command is about.
    ///
    /// - Throws: `ValidationError`.
    init(onlyArgument texts: [String]) throws {
        guard texts.count == 1 else { throw ValidationError("name one post") }
        try self.init(argument: texts[0])
    }
}

extension LikePageDocument.Person {
    fileprivate var line: String {
        "\(uid)  \(timestamp?.time ?? "-")  \(fullName ?? "")".printable
    }
}
