import API
import ArgumentParser
import HTTPTypes
import TreeModel
import Uploads

extension AudienceCommand {
    /// Makes people members.
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Make people members of an audience, or change what they may do.",
            usage: "tintype audience add <id> <uid> ... [<options>]",
            discussion: """
                Readers read what is posted for the audience, posters post as well, and owners also change the audience and its \
                members.

                EXAMPLES
                  tintype audience set class-7b --name 7b --owner maria
                  tintype audience add class-7b jan ann
                  tintype audience add class-7b noah --role poster
                """)

        @OptionGroup var members: MemberOptions

        @Option(help: ArgumentHelp("owner, poster or reader.", valueName: "role"))
        var role = "reader"

        func run() async throws {
            try await members.apply { try await $0.read(.put, $1, json: ["role": .string(role)] as JSONValue) }
        }
    }

    /// Has people be members no more.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Have people be members of an audience no more.",
            usage: "tintype audience remove <id> <uid> ... [<options>]",
            discussion: """
                They see nothing of it any more, older posts included; what they have posted stays. The last owner stays.

                EXAMPLE
                  tintype audience remove class-7b jan
                """)

        @OptionGroup var members: MemberOptions

        func run() async throws { try await members.apply { try await $0.read(.delete, $1) } }
    }

    /// Deletes audiences.
    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm",
            abstract: "Delete audiences, and the posts that are for no other.",
            discussion: """
                Members see nothing of it at once; the posts go a little later, and their files after the grace period. No other \
                audience gets the id. The command asks first; use --yes where nobody can be asked.

                EXAMPLE
                  tintype audience rm class-7b --yes
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The ids of audiences.", valueName: "id"))
        var ids: [String]

        @Flag(help: "Delete without asking.")
        var yes = false

        @Flag(help: "Print one JSON document for each audience.")
        var json = false

        func run() async throws {
            let service = try APIClient(storage)
            if !yes {
                try Terminal.confirm(
                    ids.count == 1 ? "delete \(ids[0]) with its posts for good" : "delete these for good: \(ids)")
            }
            let batch = Batch(ids, isJSON: json) { OutcomeDocument(.failed, id: $0, failure: $1) }
            try await batch.forEach { id in
                let gone: AudienceDeletionDocument = try await service.read(.delete, AudienceCommand.path(id))
                json ? Terminal.outputJSON(gone) : Terminal.output("deleted  \(gone.id)")
            }
        }
    }
}

/// An audience, and people who become members of it, or are none any more.
struct MemberOptions: ParsableArguments {
    @OptionGroup var storage: StorageOptions

    // Some ids begin with a dash, so the parser takes them for options that it does not know.
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("The id of the audience, and the ids of people.", valueName: "id"))
    var ids: [String]

    @Flag(help: "Print one JSON document for each person.")
    var json = false

    func validate() throws {
        try PersonID.check(ids)
        guard ids.count >= 2 else { throw ValidationError("name an audience, and whom it is about") }
    }

    /// Changes what each of the people is in the audience, and prints it.
    ///
    /// - Parameter change: Sends the request that changes one, at a path.
    /// - Throws: `ExitStatus` when some or all of it was refused.
    func apply(_ change: (APIClient, _ path: String) async throws -> AudienceMemberDocument) async throws {
        let service = try APIClient(storage)
        try await Batch(people: ids.dropFirst(), isJSON: json).forEach { uid in
            let path = "\(AudienceCommand.path(ids[0]))/members/\(APIClient.percentEncoded(uid))"
            let member = try await change(service, path)
            let role = member.role.map { "is \($0)" } ?? "is no member"
            json
                ? Terminal.outputJSON(member)
                : Terminal.output("\(member.uid) \(role) of \(member.audience)".printable)
        }
    }
}
