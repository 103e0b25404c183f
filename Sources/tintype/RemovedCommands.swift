/// The commands of earlier versions that ``APICommand`` replaces.
enum RemovedCommands {
    /// The equivalent requests, by the names of the old commands.
    private static let requests = [
        "like": "PUT /v1/posts/POST/likes/USER",
        "unlike": "DELETE /v1/posts/POST/likes/USER",
        "likes": "GET /v1/posts/POST/likes",
        "comment": #"POST '/v1/posts/POST/comments?as=USER' '{"text": "TEXT"}'"#,
        "comments ls": "GET /v1/posts/POST/comments",
        "comments edit": #"PATCH '/v1/posts/POST/comments/COMMENT?as=USER' '{"text": "TEXT"}'"#,
        "comments rm": "DELETE /v1/posts/POST/comments/COMMENT",
        "follow": "PUT /v1/people/USER/following/OTHER",
        "unfollow": "DELETE /v1/people/USER/following/OTHER",
        "block": "PUT /v1/people/USER/blocking/OTHER",
        "unblock": "DELETE /v1/people/USER/blocking/OTHER",
        "feed": "GET /v1/people/USER/feed",
        "feed --hashtag": "GET /v1/hashtags/TAG/posts",
        "audience set": #"PUT /v1/audiences/ID '{"name": "NAME", "kind": "group", "members": {"USER": "owner"}}'"#,
        "audience ls": "GET /v1/audiences",
        "audience show": "GET /v1/audiences/ID",
        "audience add": #"PUT /v1/audiences/ID/members/OTHER '{"role": "reader"}'"#,
        "audience remove": "DELETE /v1/audiences/ID/members/OTHER",
        "feed --audience": "GET /v1/audiences/ID/posts",
        "audience rm": "DELETE /v1/audiences/ID",
        "flag --as": "PUT /v1/posts/POST/flags/USER",
        "privacy": #"PATCH /v1/people/USER/privacy '{"social": false}'"#,
    ]
    /// The command that is meant when the subcommand is missing or unknown.
    private static let defaults = ["comments": "comments ls", "audience": "audience show"]

    /// Returns the error about the removed command that the arguments name; nil when they name none.
    static func fault(in arguments: [String]) -> String? {
        guard let word = arguments.first else { return nil }
        let pair = arguments.prefix(2).joined(separator: " ")
        let option = arguments.first { $0.hasPrefix("--") }.map { "\(word) \($0)" }
        guard let name = [pair, option ?? "", word, defaults[word] ?? ""].first(where: { requests[$0] != nil }),
            let request = requests[name]
        else { return nil }
        return "there is no command \"\(name)\" any more: tintype api \(request) (see \"tintype api --help\")"
    }
}
