import API
import ArgumentParser
import Foundation
import HTTPTypes
import Model

/// Lists, approves and declines requests to join.
struct InviteRequestsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "requests",
        abstract: "List, approve or decline requests to join.",
        discussion: """
            People without an invitation may send a request if the setting sign-up contains the words invitation and request.

            EXAMPLES
              tintype invite requests ls
              tintype invite requests approve ann@example.com
            """,
        subcommands: [List.self, Approve.self, Decline.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the requests to join, oldest first.",
            discussion: """
                EXAMPLE
                  tintype invite requests ls
                """)

        @OptionGroup var storage: StorageOptions

        @Flag(help: "Print one JSON document for each request.")
        var json = false

        func run() async throws {
            let requests = try await InviteRequestsCommand.requests(try APIClient(storage))
            var table = TextTable([.whole("address"), .text("name"), .whole("time"), .text("text")])
            if json {
                for request in requests { Terminal.outputJSON(request) }
            } else {
                table.print(requests.map(\.cells))
            }
            if requests.isEmpty { Terminal.note("no requests to join") }
        }
    }

    struct Approve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "approve",
            abstract: "Approve a request: make an invitation for its address, and send or print it.",
            usage: "tintype invite requests approve <request> [<options>]",
            discussion: """
                The service sends the invitation if the setting account-command or account-webhook is set. Otherwise the \
                command prints the link, and you send it to the person.

                EXAMPLES
                  tintype invite requests approve ann@example.com
                  tintype invite requests approve bob@example.com \\
                    --audience class-7b --role poster
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The e-mail address, or the id of the request.", valueName: "request"))
        var request: String

        @Option(help: ArgumentHelp("The audience that the person becomes a member of.", valueName: "id"))
        var audience: String?

        @Option(
            help: ArgumentHelp(
                "The person's role in the audience: owner, poster or reader (default: reader).", valueName: "role"))
        var role: String?

        @Flag(help: "Print one JSON document.")
        var json = false

        func validate() throws {
            guard role.map({ AudienceRole(rawValue: $0) != nil && audience != nil }) ?? true else {
                throw ValidationError("--role is owner, poster or reader, and needs --audience")
            }
        }

        func run() async throws {
            let client = try APIClient(storage)
            let id = try await InviteRequestsCommand.id(of: request, client)
            var order = InvitationOrderDocument()
            (order.audience, order.role) = (audience, role)
            let approval: JoinApprovalDocument = try await client.read(
                .post, "/v1/join-requests/\(id)/approve", json: order)
            if json { return Terminal.outputJSON(approval) }
            if approval.sent {
                Terminal.output("sent to \(approval.invitation.email ?? "")".printable)
            } else {
                approval.invitation.printCode(isShort: false)
            }
        }
    }

    struct Decline: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "decline",
            abstract: "Decline a request; its sender receives no message.",
            usage: "tintype invite requests decline <request> [<options>]",
            discussion: """
                EXAMPLE
                  tintype invite requests decline ann@example.com
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The e-mail address, or the id of the request.", valueName: "request"))
        var request: String

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() async throws {
            let client = try APIClient(storage)
            let id = try await InviteRequestsCommand.id(of: request, client)
            let refusal: JoinRefusalDocument = try await client.read(.delete, "/v1/join-requests/\(id)")
            if json { Terminal.outputJSON(refusal) } else { Terminal.output("declined  \(request)".printable) }
        }
    }

    private static func requests(_ client: APIClient) async throws -> [JoinRequestDocument] {
        try await client.read(.get, "/v1/join-requests", as: JoinRequestListDocument.self).requests
    }

    /// Returns the id of the request that a person names.
    ///
    /// - Throws: `Failure` with the code `not_found` if there is none.
    private static func id(of name: String, _ client: APIClient) async throws -> String {
        let email = name.lowercased()
        guard let request = try await requests(client).first(where: { $0.id == name || $0.email == email }) else {
            throw Failure(
                .notFound, "there is no request to join of \"\(name.prefix(200))\"",
                hint: "List all with tintype invite requests ls.")
        }
        return request.id
    }
}

extension JoinRequestDocument {
    /// The cells of the request, with a dash for a missing name.
    fileprivate var cells: [String] { [email, name.isEmpty ? "-" : name, created.time, text] }
}
