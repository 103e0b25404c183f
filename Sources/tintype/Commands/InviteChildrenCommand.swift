import API
import Accounts
import ArgumentParser
import Client
import Foundation
import HTTPTypes
import TreeModel

/// Lists and changes the accounts of people who came in by a class code, without an e-mail address.
struct InviteChildrenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "children",
        abstract: "List or remove the children of a class, or give them another picture.",
        discussion: """
            Children make their accounts themselves: on the page /join they enter the code of "tintype invite add --no-address", \
            their name, and a picture. A child is given by the name in the class, or by the id of the account.

            EXAMPLES
              tintype invite children ls class-7b
              tintype invite children set class-7b Mia --picture fish
            """,
        subcommands: [List.self, Set.self, Remove.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the children of a class, by name.",
            usage: "tintype invite children ls <class> [<options>]",
            discussion: """
                Each line has the name, the id of the account, and the time of the last sign-in.

                EXAMPLE
                  tintype invite children ls class-7b
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The audience.", valueName: "class"))
        var audience: String

        @Flag(help: "Print one JSON document for each child.")
        var json = false

        func run() async throws {
            let children = try await Class(audience, storage).children
            var table = TextTable([.whole("name"), .whole("id"), .text("last sign-in")])
            if json {
                for child in children { Terminal.outputJSON(child) }
            } else {
                table.print(children.map(\.cells))
            }
            if children.isEmpty { Terminal.note("no children") }
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Give a child another picture, and end its sessions.",
            usage: "tintype invite children set <class> <child> --picture <picture>",
            discussion: """
                The child signs in with the new picture, which is not shown again.

                EXAMPLE
                  tintype invite children set class-7b Mia --picture fish
                """)

        @OptionGroup var child: Child

        @Option(help: ArgumentHelp("The picture, with which the child signs in.", valueName: "picture"))
        var picture: ClassPicture

        func run() async throws {
            let body: JSONValue = ["picture": .string(picture.rawValue)]
            try await child.change(
                .put, headers: [.contentType: "application/json"], body: .bytes(Array(body.json())),
                words: { "changed  \($0.name)" })
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm",
            abstract: "Remove a child: delete the account, whose posts stay.",
            usage: "tintype invite children rm <class> <child> [<options>]",
            discussion: """
                The command asks for confirmation; use --yes in scripts.

                EXAMPLES
                  tintype invite children rm class-7b Mia
                  tintype invite children rm --yes class-7b Jan
                """)

        @OptionGroup var child: Child

        @Flag(help: "Delete without confirmation.")
        var yes = false

        func run() async throws {
            try await child.change(
                .delete,
                confirm: { if !yes { try Terminal.confirm("delete the account of \($0.name.printable) for good") } },
                words: { "removed  \($0.name)" })
        }
    }

    /// The arguments that name a child.
    struct Child: ParsableArguments {
        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The audience.", valueName: "class"))
        var audience: String

        @Argument(help: ArgumentHelp("The name in the class, or the id of the account.", valueName: "child"))
        var name: String

        @Flag(help: "Print one JSON document.")
        var json = false

        /// Changes the account, and prints the outcome.
        ///
        /// - Parameter confirm: Throws if the user does not want it.
        func change(
            _ method: HTTPRequest.Method, headers: HTTPFields = [:], body: RequestBody = .none,
            confirm: (ClassAccountDocument) throws -> Void = { _ in }, words: (ClassAccountDocument) -> String
        ) async throws {
            let place = try Class(audience, storage)
            let child = try await place.child(name)
            try confirm(child)
            let outcome: ClassAccountChangeDocument = try await place.client.read(
                method, "\(place.path)/\(child.uid.percentEncoded)", headers: headers, body: body)
            if json { Terminal.outputJSON(outcome) } else { Terminal.output(words(child).printable) }
        }
    }

    /// The accounts of a class.
    private struct Class {
        let audience: String
        let client: APIClient

        init(_ audience: String, _ storage: StorageOptions) throws {
            self.audience = audience
            client = try APIClient(storage)
        }

        var path: String { "/v1/audiences/\(audience.percentEncoded)/accounts" }

        var children: [ClassAccountDocument] {
            get async throws { try await client.read(.get, path, as: ClassAccountListDocument.self).accounts }
        }

        /// Returns the child with an id, or with a name, which the service compares in the same way.
        ///
        /// - Throws: `Failure` with the code `not_found` if there is none, or `bad_name` if there are several: a child
        ///   may change the name that is shown.
        func child(_ name: String) async throws -> ClassAccountDocument {
            let all = try await children
            if let child = all.first(where: { $0.uid == name }) { return child }
            let folded = ClassName.folded(name)
            let named = all.filter { ClassName.folded($0.name) == folded }
            guard named.count < 2 else {
                throw Failure(
                    .badName, "\(named.count) children are called \"\(name.prefix(80))\" in \(audience.prefix(80))",
                    hint: "Give the id of one: \(named.map(\.uid).joined(separator: ", ")).")
            }
            guard let child = named.first else {
                throw Failure(
                    .notFound, "there is no child \"\(name.prefix(80))\" in \(audience.prefix(80))",
                    hint: "List all with tintype invite children ls \(audience.prefix(80)).")
            }
            return child
        }
    }
}

extension ClassPicture: ExpressibleByArgument {}

extension ClassAccountDocument {
    /// The cells of the account, with a dash for a child who never signed in.
    fileprivate var cells: [String] { [name, uid, lastSignIn?.time ?? "-"] }
}
