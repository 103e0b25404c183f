import API

/// The commands of earlier versions, with those that replace them.
enum EarlierCommands {
    private enum Successor {
        /// The command has another name, and takes the same arguments.
        case name(String)
        /// Another line does the same; it has arguments of its own, in capitals.
        case line(String)
    }

    /// The successors, by the earlier commands; an option stands for the command with it.
    private static let successors: [String: Successor] = [
        "announce": .name("announcement add"),
        "announcements": .name("announcement"),
        "audience add": .line("audience set ID --reader OTHER"),
        "audience remove": .line("audience set ID --without OTHER"),
        "backup list": .name("backup ls"),
        "block": .line("api PUT /v1/people/USER/blocking/OTHER"),
        "check": .name("store check"),
        "comment": .line(#"api POST '/v1/posts/POST/comments?as=USER' '{"text": "TEXT"}'"#),
        "comments": .line("api GET /v1/posts/POST/comments"),
        "comments edit": .line(#"api PATCH '/v1/posts/POST/comments/COMMENT?as=USER' '{"text": "TEXT"}'"#),
        "comments rm": .line("api DELETE /v1/posts/POST/comments/COMMENT"),
        "du": .name("quota ls"),
        "explain": .name("post show"),
        "export": .name("tree export"),
        "feed": .line("api GET /v1/people/USER/feed"),
        "feed --audience": .line("api GET /v1/audiences/ID/posts"),
        "feed --hashtag": .line("api GET /v1/hashtags/TAG/posts"),
        "flag --as": .line("api PUT /v1/posts/POST/flags/USER"),
        "flags": .name("flag"),
        "follow": .line("api PUT /v1/people/USER/following/OTHER"),
        "gc": .name("store gc"),
        "import": .name("tree import"),
        "inbox drop": .name("inbox rm"),
        "like": .line("api PUT /v1/posts/POST/likes/USER"),
        "likes": .line("api GET /v1/posts/POST/likes"),
        "notifications": .name("notification ls"),
        "originals list": .name("originals ls"),
        "photos": .name("photo"),
        "posts": .name("post"),
        "privacy": .line(#"api PATCH /v1/people/USER/privacy '{"social": false}'"#),
        "reload": .name("config reload"),
        "render": .name("photo render"),
        "repair": .name("store repair"),
        "restore": .name("backup restore"),
        "rethumb list": .name("rethumb ls"),
        "unblock": .line("api DELETE /v1/people/USER/blocking/OTHER"),
        "unclaimed": .name("store unclaimed"),
        "unclaimed drop": .name("store unclaimed rm"),
        "unfollow": .line("api DELETE /v1/people/USER/following/OTHER"),
        "unlike": .line("api DELETE /v1/posts/POST/likes/USER"),
        "upgrade": .name("store upgrade"),
        "verify": .name("store verify"),
    ]

    /// Returns the error about the earlier command that the arguments begin with; nil when they begin with none.
    ///
    /// - Parameter program: The words before the name in the line that the error recommends.
    static func fault(in arguments: [String], program: String) -> String? {
        guard let word = arguments.first else { return nil }
        if word == "notifications", arguments.contains("--read-all") {
            let rest = arguments.dropFirst().filter { $0 != "--read-all" }
            return renamed("notifications --read-all", "notification read", rest, program)
        }
        let pair = arguments.prefix(2).joined(separator: " ")
        let option = arguments.first { $0.hasPrefix("--") }.map { "\(word) \($0)" }
        for old in [pair, option, word].compactMap(\.self) {
            switch successors[old] {
            case .name(let name):
                return renamed(old, name, arguments.dropFirst(old == pair ? min(2, arguments.count) : 1), program)
            case .line(let line):
                let help = line.prefix { $0 != " " }
                return "there is no command \"\(old)\" any more: tintype \(line) (see \"tintype \(help) --help\")"
            case nil: continue
            }
        }
        return nil
    }

    /// Returns the error about arguments that had a meaning for a group before it had verbs; nil for others.
    static func faultOfForm(in arguments: [String], program: String) -> String? {
        guard arguments.first == "quota" else { return nil }
        let hasAmount = arguments.count > 2 && !arguments[2].hasPrefix("-")
        return renamed(
            hasAmount ? "quota USER AMOUNT" : "quota USER", hasAmount ? "quota set" : "quota show",
            arguments.dropFirst(), program)
    }

    private static func renamed(
        _ old: String, _ new: String, _ rest: some Sequence<String>, _ program: String
    ) -> String {
        let line = ([program, new] + rest.map(\.shellArgument)).joined(separator: " ")
        return "\"\(old)\" is called \"\(new)\" now. Run \"\(line)\".".printable
    }
}
