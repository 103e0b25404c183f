import API
import ArgumentParser
import Foundation
import HTTPTypes
import Model
import TreeModel

/// Makes, lists and withdraws invitations, answers requests to join, and manages the children of a class.
struct InviteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract:
            "Invite people to the service or an audience; answer requests to join; manage the children of a class.",
        discussion: """
            An invitation is a link for one person or, with --code, a short code for several people, such as a class. It ends \
            with its last use, and after a week at the latest; options change both. These commands need the running service.

            EXAMPLES
              tintype invite add --note "for Ann"
              tintype invite add --code --audience class-7b --uses 25
              tintype invite ls
            """,
        subcommands: [Add.self, List.self, Remove.self, InviteRequestsCommand.self, InviteChildrenCommand.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Make an invitation, and print its link or code; a link is never shown again.",
            usage: "tintype invite add [<options>]",
            discussion: """
                Only the code is printed if the service has neither the setting public-url nor an address at which it \
                listens: people then enter the code on the page /join of the service. A short code cannot make an admin.

                EXAMPLES
                  tintype invite add
                  tintype invite add --days 30 --uses 5 --note "the board"
                  tintype invite add --code --audience class-7b --role poster
                  tintype invite add --code --audience class-7b --no-address
                  tintype invite add --admin --json | jq -r .code
                """)

        @OptionGroup var storage: StorageOptions

        @Option(help: ArgumentHelp("How many people may use it (default: 1; short code: 30).", valueName: "n"))
        var uses: Int?

        @Option(help: ArgumentHelp("How many days it is valid (default: 7; with --no-address: 365).", valueName: "n"))
        var days: Int?

        @Option(help: ArgumentHelp("The audience that people become members of.", valueName: "id"))
        var audience: String?

        @Option(
            help: ArgumentHelp(
                "Their role in the audience: owner, poster or reader (default: reader).", valueName: "role"))
        var role: String?

        @Flag(help: "Make a short code such as K7QM-2XRT, which people can read from a board and type.")
        var code = false

        @Flag(help: "Give the people who use it the claim admin, which makes them admins.")
        var admin = false

        @Flag(
            help: "Make a short code with which people, such as children, sign in by name and picture, not by e-mail.")
        var noAddress = false

        @Option(help: ArgumentHelp("A note for those who list invitations.", valueName: "text"))
        var note: String?

        @Flag(help: "Print one JSON document.")
        var json = false

        func validate() throws {
            guard role.map({ AudienceRole(rawValue: $0) != nil }) ?? true else {
                throw ValidationError("--role is owner, poster or reader")
            }
            guard audience != nil || role == nil && !noAddress else {
                throw ValidationError("--role and --no-address need --audience")
            }
        }

        func run() async throws {
            var order = InvitationOrderDocument()
            (order.uses, order.days, order.audience, order.role, order.note) = (uses, days, audience, role, note)
            (order.short, order.admin, order.noAddress) = (code || noAddress, admin, noAddress)
            let service = try APIClient(storage)
            let invitation: InvitationDocument = try await service.read(.post, "/v1/invitations", json: order)
            if json { Terminal.outputJSON(invitation) } else { invitation.printCode(isShort: code || noAddress) }
            await warn(about: invitation, service)
        }

        /// Says on standard error that the service admits nobody by an invitation.
        private func warn(about invitation: InvitationDocument, _ service: APIClient) async {
            let code: JSONValue = ["code": .string(invitation.code ?? "")]
            // The invitation has been made, whether or not its purpose can be read.
            let purpose: InvitationPurposeDocument? = try? await service.read(
                .post, "/v1/invitations/check", json: code)
            guard purpose?.admits == false else { return }
            let who = noAddress ? "nobody can sign in" : "nobody can create an account"
            Terminal.note("\(who) with it until sign-up allows it: tintype init --sign-up invitation")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List invitations, newest first, with their uses and the times at which they end.",
            usage: "tintype invite ls [<options>]",
            discussion: """
                Each line has the id, the state, the uses, the end, the short code (or the word link), the audience and the \
                rights that people get, the id and the name of the person who made the invitation (owner is the owner of the \
                service), and the note. An invitation that has ended stays in the list for 30 days.

                EXAMPLES
                  tintype invite ls
                  tintype invite ls --audience class-7b --json
                """)

        @OptionGroup var storage: StorageOptions

        @Option(help: ArgumentHelp("Only the invitations to this audience.", valueName: "id"))
        var audience: String?

        @OptionGroup var list: ListOptions

        func run() async throws {
            let client = try APIClient(storage)
            let reader: Pages.Reader<InvitationDocument> = { size, position in
                let page: InvitationPageDocument = try await client.read(
                    .get, "/v1/invitations",
                    query: ["limit": "\(size)", "after": position, "audience": audience])
                return (page.invitations, page.next)
            }
            var names = PersonNames(client)
            try await list.print(
                nothing: "no invitations",
                columns: [
                    .whole("id"), .whole("state"), .number("uses"), .whole("end"), .whole("code"), .whole("gives"),
                    .whole("made by"), .text("name"), .text("note"),
                ], reader
            ) { invitation in
                let name = await names.name(of: invitation.by)
                return invitation.cells + [invitation.by ?? "owner", name, invitation.note ?? "-"]
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm",
            abstract: "Withdraw an invitation; people who have used it stay.",
            usage: "tintype invite rm <invitation> [<options>]",
            discussion: """
                EXAMPLE
                  tintype invite rm "$(tintype invite ls --limit 1 --json | jq -r .id)"
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(
            help: ArgumentHelp(
                "The id, as \"tintype invite ls\" prints it, or the code or the link.", valueName: "invitation"))
        var name: String

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() async throws {
            let service = try APIClient(storage)
            let invitation: InvitationDocument
            do {
                invitation = try await service.read(.delete, "/v1/invitations/\(word.percentEncoded)")
            } catch let error as Failure where error.code == .invitationUnknown {
                throw Failure(
                    error.code, "there is no invitation with this id, code or link",
                    hint: "List all with tintype invite ls.")
            }
            if json {
                Terminal.outputJSON(invitation)
            } else {
                Terminal.output("withdrawn  \(invitation.id)".printable)
            }
        }

        /// The id or the code: of a link, what follows the last # or slash.
        private var word: String {
            name.contains("://") ? name.split { $0 == "#" || $0 == "/" }.last.map(String.init) ?? "" : name
        }
    }
}

extension InvitationDocument {
    /// Prints the link, or the short code, to pass on.
    func printCode(isShort: Bool) {
        if let link, !isShort { return Terminal.output(link) }
        Terminal.output(code ?? "")
        if isShort, let page = link?.split(separator: "#").first {
            Terminal.note("people enter this code at \(page)".printable)
        } else if link == nil {
            Terminal.note("people enter this code on the page /join; with the setting public-url, links are printed")
        }
    }

    /// The id, the state, the uses, the end, the code, and what the invitation gives, with a dash for nothing.
    fileprivate var cells: [String] {
        let target = [audience, role, admin ? "admin" : nil, email].compactMap(\.self).joined(separator: " ")
        return [
            id, state.replacing("_", with: " "), "\(uses) of \(maxUses)", "until \(expires.time)", code ?? "link",
            target.isEmpty ? "-" : target,
        ]
    }
}
