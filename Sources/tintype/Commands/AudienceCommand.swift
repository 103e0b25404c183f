import API
import ArgumentParser
import Foundation
import HTTPTypes
import TreeModel
import Uploads

/// Makes, changes, lists and deletes audiences.
struct AudienceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audience",
        abstract: "Make, show, change, list or delete audiences.",
        discussion: """
            An audience is for whom posts are that are not for everybody: a class, a school, a student's family. Its members \
            read them; owners and posters post. These commands need the running service.

            EXAMPLES
              tintype audience set class-7b --name 7b --kind class --owner maria
              tintype audience add class-7b jan ann --role reader
              tintype upload photo.jpg --user maria --audience class-7b
              tintype feed --audience class-7b
            """,
        subcommands: [Set.self, List.self, Show.self, Add.self, Remove.self, Delete.self])

    static func path(_ id: String) -> String { "/v1/audiences/\(APIClient.percentEncoded(id))" }
}

extension AudienceCommand {
    /// Makes or changes an audience.
    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Make an audience, or change what is known of it.",
            discussion: """
                What is not given stays as it is. A new audience needs a name and an owner.

                EXAMPLES
                  tintype audience set class-7b --name 7b --kind class --owner maria
                  tintype audience set class-7b --name "7b, 2026"
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The id: 1 to 128 letters, digits, _ and -.", valueName: "id"))
        var id: String

        @Option(help: ArgumentHelp("The name that people see.", valueName: "name"))
        var name: String?

        @Option(
            help: ArgumentHelp("class, school, student or group (default for a new one: group).", valueName: "kind"))
        var kind: String?

        @Option(help: ArgumentHelp("Somebody who is to own it; may be given several times.", valueName: "uid"))
        var owner: [String] = []

        @Flag(help: "Print one JSON document.")
        var json = false

        func validate() throws {
            guard name != nil || kind != nil || !owner.isEmpty else {
                throw ValidationError("what is to change? give --name, --kind or --owner")
            }
        }

        func run() async throws {
            let service = try APIClient(storage)
            var audience: AudienceDocument
            do {
                audience = try await send(.patch, [:], to: service)
                for uid in owner {
                    let member = "\(AudienceCommand.path(id))/members/\(APIClient.percentEncoded(uid))"
                    let owner: JSONValue = ["role": "owner"]
                    _ = try await service.read(.put, member, json: owner) as AudienceMemberDocument
                }
                if !owner.isEmpty { audience = try await service.read(.get, AudienceCommand.path(id)) }
            } catch let error as Failure where error.code == .notFound && name != nil && !owner.isEmpty {
                let members = owner.map { ($0, JSONValue.string("owner")) }
                let unique = Dictionary(members) { first, _ in first }
                audience = try await send(.put, ["members": .object(unique)], to: service)
            }
            json ? Terminal.outputJSON(audience) : Terminal.output(audience.line)
        }

        private func send(
            _ method: HTTPRequest.Method, _ more: [String: JSONValue], to service: APIClient
        ) async throws -> AudienceDocument {
            var fields = more
            fields["name"] = name.map(JSONValue.string)
            fields["kind"] = kind.map(JSONValue.string) ?? (method == .put ? "group" : nil)
            return try await service.read(
                method, AudienceCommand.path(id), json: JSONValue.object(fields))
        }
    }

    /// Lists audiences.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List audiences in the order of their ids.",
            discussion: """
                Each line has the id, the kind and the name; with --user also what that person may do.

                EXAMPLES
                  tintype audience ls
                  tintype audience ls --user jan
                  tintype audience ls --json | jq -r .id
                """,
            aliases: ["list"])

        @OptionGroup var storage: StorageOptions

        @Option(help: ArgumentHelp("Only those that this person is a member of.", valueName: "uid"))
        var user: String?

        @Flag(help: "Print one JSON document for each audience.")
        var json = false

        func run() async throws {
            let service = try APIClient(storage)
            let count = try await Pages.forEach { size, next in
                let page: AudiencePageDocument = try await service.read(
                    .get, "/v1/audiences", query: ["limit": "\(size)", "after": next, "as": user])
                return (page.audiences, page.next)
            } _: { audience in
                json ? Terminal.outputJSON(audience) : Terminal.output(audience.line)
            }
            if count == 0 { Terminal.note("no audiences yet; tintype audience set makes one") }
        }
    }

    /// Shows audiences.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show an audience and its members.",
            discussion: """
                EXAMPLES
                  tintype audience set class-7b --name 7b --owner maria
                  tintype audience show class-7b
                  tintype audience show class-7b --json | jq .members
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The id of the audience.", valueName: "id"))
        var id: String

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() async throws {
            let audience: AudienceDocument = try await APIClient(storage).read(.get, AudienceCommand.path(id))
            guard !json else { return Terminal.outputJSON(audience) }
            Terminal.output(audience.line)
            for (uid, role) in (audience.members ?? [:]).sorted(by: { $0.key < $1.key }) {
                Terminal.output("  \(role.padding(toLength: 6, withPad: " ", startingAt: 0))  \(uid)".printable)
            }
        }
    }
}

extension AudienceDocument {
    /// The id, the kind and the name, and what whoever asks may do.
    fileprivate var line: String {
        ([id, kind, name.oneLine] + [role].compactMap(\.self)).joined(separator: "  ").printable
    }
}
