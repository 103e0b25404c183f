import API
import ArgumentParser
import HTTPTypes
import TreeModel

/// Lists, shows, creates, changes and deletes audiences.
struct AudienceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audience",
        abstract: "Show, change, list or delete audiences: the groups who see a post.",
        discussion: """
            A post is for everybody, or for some audiences, whose members alone see it. Owners and posters of an audience may \
            post for it, readers see its posts. These commands need the running service.

            EXAMPLES
              tintype audience set class-7b --name "Class 7b" --owner maria
              tintype audience set class-7b --reader ann@example.com
              tintype audience ls
              tintype audience show class-7b
            """,
        subcommands: [List.self, Show.self, Set.self, Remove.self])

    /// Returns the path of an audience in the service.
    static func path(_ id: String) -> String { "/v1/audiences/\(id.percentEncoded)" }

    /// Sends a request about an audience, and returns the answer.
    ///
    /// - Throws: `Failure` with the code `not_found` if there is no such audience; the errors of the service.
    private static func send<D: Document>(
        _ method: HTTPRequest.Method, _ id: String, _ service: APIClient, as type: D.Type = D.self
    ) async throws -> D {
        do {
            return try await service.read(method, path(id), as: type)
        } catch let error as Failure where error.code == .notFound {
            throw Failure(
                .notFound, "there is no audience \"\(id.prefix(128))\"", hint: "List all with tintype audience ls.")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List audiences in the order of their ids.",
            usage: "tintype audience ls [<options>]",
            discussion: """
                Each line has the id, the kind and the name.

                EXAMPLES
                  tintype audience ls
                  tintype audience ls --json | jq -r .id
                """)

        @OptionGroup var storage: StorageOptions

        @OptionGroup var list: ListOptions

        func run() async throws {
            let service = try APIClient(storage)
            try await list.print(
                nothing: "there are no audiences; tintype audience set creates one",
                columns: [.whole("id"), .whole("kind"), .text("name")]
            ) { size, next in
                let page: AudiencePageDocument = try await service.read(
                    .get, "/v1/audiences", query: ["limit": "\(size)", "after": next])
                return (page.audiences, page.next)
            } row: {
                [$0.id, $0.kind, $0.name]
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show audiences with their members.",
            usage: "tintype audience show <id> ... [<options>]",
            discussion: """
                The first line has the id, the kind and the name. Each of the others has the role, the id and the name of a \
                member: owners first, then posters, then readers.

                EXAMPLES
                  tintype audience show class-7b
                  tintype audience show class-7b --json | jq .members
                """)

        @OptionGroup var choice: Choice

        func run() async throws {
            let service = try APIClient(choice.storage)
            var names = PersonNames(service)
            try await choice.batch.forEach { id in
                let audience: AudienceDocument = try await AudienceCommand.send(.get, id, service)
                guard !choice.json else { return Terminal.outputJSON(audience) }
                Terminal.output(audience.line)
                var table = TextTable([.whole("role"), .whole("id"), .text("name")])
                let members = (audience.members ?? [:]).sorted { ($0.value, $0.key) < ($1.value, $1.key) }
                var rows: [[String]] = []
                for (uid, role) in members { rows.append([role, uid, await names.name(of: uid)]) }
                table.print(rows)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm",
            abstract: "Delete audiences, and the posts that are for no other audience.",
            usage: "tintype audience rm <id> ... [<options>]",
            discussion: """
                The accounts of members stay. The id of a deleted audience is not used again. The command shows the \
                audiences and asks for confirmation; use --yes in scripts.

                EXAMPLES
                  tintype audience rm class-7b
                  tintype audience rm --yes class-8c
                """)

        @OptionGroup var choice: Choice

        @Flag(help: "Delete without confirmation.")
        var yes = false

        func run() async throws {
            let service = try APIClient(choice.storage)
            if !yes {
                let what = choice.ids.count == 1 ? "this audience" : "these \(choice.ids.count) audiences"
                try await choice.batch.confirm("delete \(what), with all posts that are for no other, for good") { id in
                    try await AudienceCommand.send(.get, id, service, as: AudienceDocument.self).line
                }
            }
            try await choice.batch.forEach { id in
                let deletion: AudienceDeletionDocument = try await AudienceCommand.send(.delete, id, service)
                choice.json ? Terminal.outputJSON(deletion) : Terminal.output("deleted  \(deletion.id)".printable)
            }
        }
    }

    /// The audiences that a command is about.
    struct Choice: ParsableArguments {
        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The ids of audiences.", valueName: "id"))
        var ids: [String]

        @Flag(help: "Print one JSON document for each audience.")
        var json = false

        /// The audiences as a batch.
        var batch: Batch<String> { Batch(ids, isJSON: json) { OutcomeDocument(.failed, id: $0, failure: $1) } }
    }
}

extension AudienceDocument {
    /// The id, the kind, the name, and the number of members if it is known.
    var line: String {
        let count = members.map { $0.count == 1 ? "1 member" : "\($0.count) members" }
        return [id, kind, name.oneLine, count].compactMap(\.self).joined(separator: "  ").printable
    }
}
