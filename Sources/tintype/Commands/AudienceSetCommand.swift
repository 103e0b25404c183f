import API
import ArgumentParser
import Client
import HTTPTypes
import Model
import Social
import TreeModel

extension AudienceCommand {
    /// Creates or changes an audience.
    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Create an audience, or change its name, its kind or its members.",
            usage: "tintype audience set <id> [<options>]",
            discussion: """
                A new audience needs a name and an owner. What has no option stays unchanged, and so do other members. A \
                member is given by an id, an e-mail address, or a name that nobody else has. At least one owner stays.

                EXAMPLES
                  tintype audience set class-7b --name "Class 7b" --kind class --owner maria
                  tintype audience set class-7b --poster jan --reader ann@example.com
                  tintype audience set class-7b --without ann
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The id: 1 to 128 letters, digits, hyphens and underscores.", valueName: "id"))
        var id: String

        @Option(help: ArgumentHelp("The name.", valueName: "name"))
        var name: String?

        @Option(help: ArgumentHelp("The kind: class, school, student or group (default: group).", valueName: "kind"))
        var kind: Audience.Kind?

        @Option(
            help: ArgumentHelp(
                "A member who manages the audience and posts for it; may be repeated.", valueName: "person"))
        var owner: [String] = []

        @Option(help: ArgumentHelp("A member who posts for the audience; may be repeated.", valueName: "person"))
        var poster: [String] = []

        @Option(help: ArgumentHelp("A member who sees its posts; may be repeated.", valueName: "person"))
        var reader: [String] = []

        @Option(
            help: ArgumentHelp("A person who is not a member from now on; may be repeated.", valueName: "person"))
        var without: [String] = []

        @Flag(help: "Print one JSON document.")
        var json = false

        func validate() throws {
            guard AudienceID(id) != nil else {
                throw ValidationError(
                    "\"\(id.prefix(128))\" is not an id: ids have 1 to 128 letters, digits, hyphens and underscores; "
                        .printable + "the name is the option --name")
            }
            guard name != nil || kind != nil || !(owner + poster + reader + without).isEmpty else {
                throw ValidationError(
                    "nothing to change; give --name, --kind, --owner, --poster, --reader or --without")
            }
        }

        func run() async throws {
            let service = try APIClient(storage)
            let finder = PersonFinder(service: service)
            var roles: [(uid: String, role: AudienceRole?)] = []
            // Owners are first and people who leave are last, so that there is an owner at any moment.
            let groups: [([String], AudienceRole?)] = [
                (owner, .owner), (poster, .poster), (reader, .reader), (without, nil),
            ]
            for (people, role) in groups {
                for person in people { roles.append((try await finder.uid(of: person), role)) }
            }
            if let twice = Dictionary(grouping: roles, by: \.uid).first(where: { $0.value.count > 1 })?.key {
                throw ValidationError("\(twice) is given more than once".printable)
            }
            if try await exists(service) {
                try await change(roles, service)
            } else {
                try await create(roles, service)
            }
            let audience: AudienceDocument = try await service.read(.get, AudienceCommand.path(id))
            json ? Terminal.outputJSON(audience) : Terminal.output(audience.line)
        }

        private func exists(_ service: APIClient) async throws -> Bool {
            do {
                _ = try await service.send(.get, AudienceCommand.path(id))
                return true
            } catch let error as Failure where error.code == .notFound {
                return false
            }
        }

        private func create(_ roles: [(uid: String, role: AudienceRole?)], _ service: APIClient) async throws {
            guard let name, !owner.isEmpty, without.isEmpty else {
                throw Failure(
                    .notFound, "there is no audience \"\(id.prefix(128))\"",
                    hint: "Give --name and --owner to create it, or list all with tintype audience ls.")
            }
            var members: [String: JSONValue] = [:]
            for (uid, role) in roles { members[uid] = role.map { .string($0.rawValue) } }
            try await send(
                .put, "",
                ["name": .string(name), "kind": .string((kind ?? .group).rawValue), "members": .object(members)],
                service)
        }

        private func change(_ roles: [(uid: String, role: AudienceRole?)], _ service: APIClient) async throws {
            var fields: [String: JSONValue] = [:]
            fields["name"] = name.map { .string($0) }
            fields["kind"] = kind.map { .string($0.rawValue) }
            if !fields.isEmpty { try await send(.patch, "", .object(fields), service) }
            for (uid, role) in roles {
                let member = "/members/\(uid.percentEncoded)"
                if let role {
                    try await send(.put, member, ["role": .string(role.rawValue)], service)
                } else {
                    _ = try await service.send(.delete, AudienceCommand.path(id) + member)
                }
            }
        }

        private func send(
            _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue, _ service: APIClient
        ) async throws {
            _ = try await service.send(
                method, AudienceCommand.path(id) + path, headers: [.contentType: "application/json"],
                body: .bytes(Array(body.json())))
        }
    }
}

extension Audience.Kind: ExpressibleByArgument {}
