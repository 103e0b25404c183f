import API
import ArgumentParser
import HTTPTypes
import Uploads

/// Has somebody follow others.
struct FollowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "follow",
        abstract: "Have a person follow others.",
        usage: "tintype follow <follower> <followee> ... [<options>]",
        discussion: """
            The posts of the followees come into the follower's feed, earlier ones too. Whoever follows somebody already goes \
            on doing so. The command needs the running service.

            EXAMPLES
              tintype person set jan --name Jan
              tintype follow maria jan
              tintype unfollow maria jan
            """)

    @OptionGroup var pair: PairOptions

    func run() async throws { try await pair.apply(.put, .following) }
}

/// Has somebody follow others no more.
struct UnfollowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unfollow",
        abstract: "Have a person follow others no more.",
        usage: "tintype unfollow <follower> <followee> ... [<options>]",
        discussion: """
            The posts of the followees go from the follower's feed. The command needs the running service.

            EXAMPLE
              tintype unfollow maria jan
            """)

    @OptionGroup var pair: PairOptions

    func run() async throws { try await pair.apply(.delete, .following) }
}

/// Has somebody block others.
struct BlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "block",
        abstract: "Have a person block others.",
        usage: "tintype block <blocker> <blocked> ... [<options>]",
        discussion: """
            Whoever is blocked can neither follow the person, nor like or comment what that person posts; and they follow each \
            other no more. The command needs the running service.

            EXAMPLES
              tintype person set jan --name Jan
              tintype block maria jan
              tintype unblock maria jan
            """)

    @OptionGroup var pair: PairOptions

    func run() async throws { try await pair.apply(.put, .blocking) }
}

/// Has somebody block others no more.
struct UnblockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unblock",
        abstract: "Have a person block others no more.",
        usage: "tintype unblock <blocker> <blocked> ... [<options>]",
        discussion: """
            Follows that the block has ended do not come back. The command needs the running service.

            EXAMPLE
              tintype unblock maria jan
            """)

    @OptionGroup var pair: PairOptions

    func run() async throws { try await pair.apply(.delete, .blocking) }
}

/// Somebody, and others with whom they get something to do, or nothing any more.
struct PairOptions: ParsableArguments {
    enum Link: String { case following, blocking }

    @OptionGroup var storage: StorageOptions

    // Some ids begin with a dash, so the parser takes them for options that it does not know.
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("The id of who does it, and the ids of the others.", valueName: "uid"))
    var people: [String]

    @Flag(help: "Print one JSON document for each of the others.")
    var json = false

    func validate() throws {
        try PersonID.check(people)
        guard people.count >= 2 else { throw ValidationError("name two people: who does it, and the other one") }
    }

    /// Makes or removes the link from the first person to each of the others, and prints what there is then.
    ///
    /// - Throws: `ExitStatus` when some or all of it was refused.
    func apply(_ method: HTTPRequest.Method, _ link: Link) async throws {
        let service = try APIClient(storage)
        try await Batch(people: people.dropFirst(), isJSON: json).forEach { other in
            let path = "\(PersonID.path(people[0]))/\(link.rawValue)/\(APIClient.percentEncoded(other))"
            switch link {
            case .following:
                let follow: FollowDocument = try await service.read(method, path)
                print(follow, "\(follow.follower) follows \(follow.followee)", follow.isFollowing)
            case .blocking:
                let block: BlockDocument = try await service.read(method, path)
                print(block, "\(block.blocker) blocks \(block.blocked)", block.isBlocking)
            }
        }
    }

    private func print(_ document: some Document, _ words: String, _ isThere: Bool) {
        json ? Terminal.outputJSON(document) : Terminal.output(words + (isThere ? "" : " no more"))
    }
}
