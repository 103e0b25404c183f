import API
import ArgumentParser
import Foundation
import HTTPTypes
import TreeModel
import Uploads

/// Shows, changes, finds and deletes people.
struct PersonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "person",
        abstract: "Show, change, list, find or delete people.",
        discussion: """
            A person posts, follows and comments, and has a name, a picture and a biography. The accounts with which \
            people sign in are managed by "tintype user". A person is given by the id, the e-mail address of the account, or the \
            name if nobody else has it. These commands need the running service.

            EXAMPLES
              tintype person set maria --name "Maria Lind" --role speaker
              tintype person show maria
              tintype person search lin
            """,
        subcommands: [Show.self, Set.self, Avatar.self, List.self, Search.self, Remove.self])
}

extension PersonCommand {
    /// Shows people.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show people's profiles, and their numbers of posts and followers.",
            usage: "tintype person show <person> ... [<options>]",
            discussion: """
                EXAMPLES
                  tintype person set maria --name "Maria Lind"
                  tintype person show maria
                  tintype person show maria --json | jq .counts.followers
                """)

        @OptionGroup var storage: StorageOptions

        // Some ids begin with a dash, so the parser reads them as unknown options.
        @Argument(
            parsing: .allUnrecognized,
            help: ArgumentHelp("The ids, e-mail addresses or names of people.", valueName: "person"))
        var people: [String]

        @Flag(help: "Print one JSON document for each person.")
        var json = false

        func validate() throws { try PersonID.check(people) }

        func run() async throws {
            let service = try APIClient(storage)
            let finder = PersonFinder(service: service)
            try await Batch(people: people, isJSON: json).forEach { name in
                let uid = try await finder.uid(of: name)
                let person: PersonDocument = try await service.read(.get, PersonID.path(uid))
                guard !json else { return Terminal.outputJSON(person) }
                for (name, value) in person.fields {
                    Terminal.output(
                        "\(name.padding(toLength: 11, withPad: " ", startingAt: 0))\(value.oneLine)".printable)
                }
            }
        }
    }

    /// Changes a person's fields.
    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Change a person's fields, or create a person.",
            usage: "tintype person set <person> [<options>]",
            discussion: """
                Fields without an option stay unchanged; an empty text removes a field. A new name is copied into the \
                person's posts and comments a little later.

                EXAMPLES
                  tintype person set maria --name "Maria Lind"
                  tintype person set maria --role speaker --bio "Talks about light." \\
                    --picture https://example.com/m.jpg
                  tintype person set maria --role ""
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(
            parsing: .allUnrecognized,
            help: ArgumentHelp(
                "The id or e-mail address of the person, or a name that cannot be an id.", valueName: "person"))
        var people: [String]

        @Option(help: ArgumentHelp("The displayed name.", valueName: "name"))
        var name: String?

        @Option(help: ArgumentHelp("The URL of a picture.", valueName: "url"))
        var picture: String?

        @Option(help: ArgumentHelp("The person's role or profession.", valueName: "text"))
        var role: String?

        @Option(help: ArgumentHelp("A text about the person.", valueName: "text"))
        var bio: String?

        @Flag(help: "Print one JSON document.")
        var json = false

        func validate() throws {
            try PersonID.check(people)
            guard people.count == 1 else { throw ValidationError("name one person") }
            guard [name, picture, role, bio].contains(where: { $0 != nil }) else {
                throw ValidationError("nothing to change; give --name, --picture, --role or --bio")
            }
        }

        func run() async throws {
            let texts = ["full_name": name, "profile_picture": picture, "role": role, "bio": bio]
            let fields = JSONValue.object(texts.compactMapValues { $0.map(JSONValue.string) })
            let service = try APIClient(storage)
            let uid = try await PersonFinder(service: service).uid(of: people[0], for: .making)
            let person: PersonDocument = try await service.read(.patch, PersonID.path(uid), json: fields)
            json ? Terminal.outputJSON(person) : Terminal.output(person.line)
        }
    }

    /// Lists people.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List people in the order of their ids.",
            usage: "tintype person ls [<options>]",
            discussion: """
                EXAMPLES
                  tintype person ls
                  tintype person ls --limit 10
                  tintype person ls --json | jq -r .full_name
                """)

        @OptionGroup var storage: StorageOptions

        @OptionGroup var list: ListOptions

        func run() async throws {
            try await list.printPeople(
                of: APIClient(storage),
                nothing: "there are no people; a first post creates a person, and so does tintype person set")
        }
    }

    /// Finds people by their names.
    struct Search: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "search",
            abstract: "Find people by the beginning of their first or last name.",
            usage: "tintype person search <text> ... [<options>]",
            discussion: """
                Case and accents are ignored. Several words must be the beginning of the whole name; its words \
                may also be in reverse order: "lind maria" finds Maria Lind.

                EXAMPLES
                  tintype person search mari
                  tintype person search "maria l"
                  tintype person search lind --json
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The beginning of a name.", valueName: "text"))
        var words: [String]

        @OptionGroup var list: ListOptions

        func run() async throws {
            let text = words.joined(separator: " ")
            try await list.printPeople(
                of: APIClient(storage), search: text, nothing: "no name begins with \"\(text)\"".printable)
        }
    }
}

extension ListOptions {
    /// Prints all people, or the results of a search.
    fileprivate func printPeople(of service: APIClient, search: String? = nil, nothing: String) async throws {
        try await print(nothing: nothing, columns: [.whole("id"), .text("name")]) { size, next in
            let page: PeoplePageDocument = try await service.read(
                .get, "/v1/people", query: ["search": search, "limit": "\(size)", "after": next])
            return (page.people, page.next)
        } row: {
            [$0.uid, $0.fullName]
        }
    }
}

/// The ids of people, as arguments.
enum PersonID {
    /// Rejects options that the parser read as ids.
    static func check(_ ids: [String]) throws {
        if let option = ids.first(where: { $0.hasPrefix("--") }) {
            throw ValidationError("there is no option \(option)")
        }
    }

    static func path(_ uid: String) -> String { "/v1/people/\(uid.percentEncoded)" }
}

extension PersonDocument {
    /// The id and the name on one line.
    var line: String { "\(uid)  \(fullName.oneLine)".printable }

    /// The fields with their names, without those that are not set.
    fileprivate var fields: [(name: String, value: String)] {
        let fields: [(String, String?)] = [
            ("id", uid), ("name", fullName), ("picture", profilePicture), ("role", role), ("bio", bio),
            ("posts", counts.map { "\($0.posts)" }), ("followers", counts.map { "\($0.followers)" }),
            ("following", counts.map { "\($0.following)" }),
        ]
        return fields.compactMap { name, value in value.map { (name, $0) } }
    }
}
